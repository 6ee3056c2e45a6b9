package main

import "math"

// chart is a figure of horizontal bars, whose values are nanoseconds unless
// write says otherwise.
type chart struct {
	title, about string
	command      string               // that measures it
	write        func(float64) string // a value as text; nil = duration
	spread       string               // what a bar and the line below it are; "" = the runs' median, least and greatest
	log          bool                 // the scale is logarithmic and begins at a power of ten
	groups       []group
	legend       []string // by series; none where bars have names
}

type group struct {
	label string // "" = no line for it
	bars  []bar
}

type bar struct {
	label string
	parts []part // side by side
	runs  spread
}

type part struct {
	series int // its colour
	value  float64
}

// single returns a bar of one part.
func single(label string, series int, s spread) bar {
	return bar{label, []part{{series, s.median}}, s}
}

// scale maps values to where they are between 0 and 1.
type scale struct {
	lo, hi float64 // lo is 0 if it is linear
	ticks  []float64
}

// scale returns one on which all bars find room.
func (c *chart) scale() (s scale) {
	lo := math.Inf(1)
	for _, g := range c.groups {
		for _, b := range g.bars {
			lo, s.hi = min(lo, b.runs.min), max(s.hi, b.runs.max, 1)
		}
	}
	if c.log {
		s.lo = math.Pow10(int(math.Floor(math.Log10(max(lo, 1) * 0.9))))
		for v := s.lo; v <= s.hi; v *= 10 {
			s.ticks = append(s.ticks, v)
		}
		return s
	}
	step := math.Pow10(int(math.Floor(math.Log10(s.hi / 4)))) // 1, 2 or 5 times that
	for _, k := range []float64{2, 2.5, 2} {
		if step < s.hi/4 {
			step *= k
		}
	}
	for v := 0.0; v <= s.hi; v += step {
		s.ticks = append(s.ticks, v)
	}
	return s
}

func (s scale) at(v float64) float64 {
	if s.lo > 0 {
		return math.Log(max(v, s.lo)/s.lo) / math.Log(s.hi/s.lo)
	}
	return v / s.hi
}
