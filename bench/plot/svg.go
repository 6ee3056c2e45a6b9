package main

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Sizes in pixels.
const (
	width, margin    = 760, 20
	top, left, right = 64, 170, 660 // of the plot
	row, thick       = 22, 14       // of a bar, and what is filled of that
	columns, column  = 4, 180       // of a legend
)

// colours are those of the series, on a light and on a dark ground. The last,
// grey, is of what has no part of its own.
var colours = strings.Fields("#3b7dd8 #e08a1e #3a9d5d #c94f4f #8c6bc8 #a5734c #d873b4 #2aa5a8 #a8ab2e #5b6fa8 #d9b43a #8a9099")

const grey = 11

// style goes by the reader's choice of light or dark.
const style = `<style>
text{font:13px system-ui,"Segoe UI","DejaVu Sans",sans-serif;fill:#1f2328;stroke:#fff;stroke-width:3px;paint-order:stroke}
text.bold{font-weight:600}text.soft{font-size:12px;fill:#57606a}text.code{font:12px ui-monospace,"DejaVu Sans Mono",monospace}
.end{text-anchor:end}.mid{text-anchor:middle}.ground{fill:#fff}.line{stroke:#d0d7de}.spread{stroke:#1f2328}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3;stroke:#0d1117}text.soft{fill:#9da7b3}.ground{fill:#0d1117}.line{stroke:#30363d}.spread{stroke:#e6edf3}
}
</style>
<rect class="ground" width="100%" height="100%" rx="6"/>
`

// svg draws the chart. machine says where it was measured.
func (c *chart) svg(machine string) []byte {
	var grid, out strings.Builder
	text := func(x, y float64, class, s string) {
		fmt.Fprintf(&out, "<text x=\"%s\" y=\"%s\" class=\"%s\">%s</text>\n", px(x), px(y), class, html.EscapeString(s))
	}
	rect := func(x, y, w, h float64, series int) {
		fmt.Fprintf(&out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n", px(x), px(y), px(w), px(h), colours[series])
	}
	write, spread := c.write, c.spread
	if write == nil {
		write = duration
	}
	if spread == "" {
		spread = "Medians of the runs; a thin line goes from the least to the greatest."
	}
	s := c.scale()
	at := func(v float64) float64 { return left + s.at(v)*(right-left) }
	text(margin, 28, "bold", c.title)
	text(margin, 48, "soft", c.about)
	y := float64(top)
	for _, g := range c.groups {
		if g.label != "" {
			text(margin, y+16, "bold", g.label)
			y += row
		}
		for _, b := range g.bars {
			text(left-10, y+15, "end", b.label)
			sum := 0.0
			for _, p := range b.parts {
				from := max(at(sum), left)
				sum += p.value
				rect(from, y+4, at(sum)-from, thick, p.series)
			}
			if b.runs.max > b.runs.min {
				fmt.Fprintf(&out, "<path class=\"spread\" d=\"M%s %sH%s\"/>\n", px(at(b.runs.min)), px(y+4+thick+1.5), px(at(b.runs.max)))
			}
			text(max(at(b.runs.median), left)+8, y+15, "", write(b.runs.median))
			y += row
		}
		y += 8
	}
	for _, v := range s.ticks {
		fmt.Fprintf(&grid, "<path class=\"line\" d=\"M%s %dV%s\"/>\n", px(at(v)), top, px(y))
		text(at(v), y+14, "soft mid", write(v))
	}
	y += 40
	for i, l := range c.legend {
		x, y := float64(margin+i%columns*column), y+float64(i/columns*18)
		rect(x, y-10, 10, 10, i)
		text(x+16, y, "soft", l)
	}
	y += float64((len(c.legend) + columns - 1) / columns * 20)
	text(margin, y+4, "soft code", c.command)
	text(margin, y+22, "soft", machine)
	text(margin, y+40, "soft", spread)
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%s\" viewBox=\"0 0 %[1]d %[2]s\" role=\"img\">\n<title>%[3]s</title>\n%[4]s%[5]s%[6]s</svg>\n",
		width, px(y+54), html.EscapeString(c.title), style, &grid, &out)
}

// px writes a length to a tenth of a pixel.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// duration writes nanoseconds with two or three digits that count.
func duration(ns float64) string {
	unit := " ns"
	for _, next := range []string{" µs", " ms", " s"} {
		if ns >= 999.5 {
			ns, unit = ns/1000, next
		}
	}
	switch {
	case ns == 0:
		return "0"
	case ns < 9.95 && ns != math.Trunc(ns):
		return strconv.FormatFloat(ns, 'f', 1, 64) + unit
	}
	return strconv.FormatFloat(ns, 'f', 0, 64) + unit
}

// percent writes what is over 100 of something.
func percent(v float64) string {
	digits := 0
	if math.Abs(v) < 9.95 && v != math.Trunc(v) {
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " %"
}
