package jobspec

import (
	"fmt"
	"slices"
	"strings"
)

// checkGraph looks at how sources, steps and sinks hang together.
func (r *reader) checkGraph(d *draft) {
	g := &graph{
		r:       r,
		d:       d,
		sources: map[string]int{},
		steps:   map[string]int{},
		read:    map[string]bool{},
		why:     map[string]string{},
	}
	for i, s := range d.Sources {
		g.sources[s.Name] = i
	}
	for i, s := range d.Steps {
		if _, taken := g.sources[s.Name]; taken {
			r.fault(d.steps[i], msgTaken, "steps", s.Name)
			continue
		}
		g.steps[s.Name] = i
	}
	for i, s := range d.Steps {
		g.checkRefs("steps."+s.Name, s.From, d.stepFrom[i])
	}
	for i, s := range d.Sinks {
		g.checkRefs("sinks."+s.Name, s.From, d.sinkFrom[i])
	}
	g.checkLetters()
	g.checkUnread()
	if g.checkCycles() {
		g.checkStores()
	}
}

// graph is what checkGraph finds on the way.
type graph struct {
	r       *reader
	d       *draft
	sources map[string]int
	steps   map[string]int
	read    map[string]bool   // sources and steps that something reads
	why     map[string]string // what unkeyed said of steps
}

// checkRefs looks whether what is read exists.
func (g *graph) checkRefs(reader string, refs []Ref, spots []spot) {
	have := map[[2]string]bool{}
	for i, ref := range refs {
		g.read[ref.Name] = true
		output := ref.Output
		if at, ok := g.steps[ref.Name]; ok {
			outputs := g.d.Steps[at].Outputs
			if len(outputs) == 0 {
				continue // faulty
			}
			if output == "" {
				output = outputs[0]
			} else if !slices.Contains(outputs, output) {
				g.r.fault(spots[i], msgNoOutput, "steps."+ref.Name, output, list(outputs, "and"), nearly(output, outputs))
				continue
			}
		} else if _, ok := g.sources[ref.Name]; !ok {
			g.dangling(reader, ref, spots[i])
			continue
		} else if output != "" {
			g.r.fault(spots[i], msgSourceOutput, ref.Name, ref.Name)
			continue
		}
		if id := [2]string{ref.Name, output}; have[id] {
			g.r.fault(spots[i], msgReadTwice, reader, ref)
		} else {
			have[id] = true
		}
	}
}

// dangling notes a reference to nothing.
func (g *graph) dangling(reader string, ref Ref, at spot) {
	var names []string
	for _, s := range g.d.Sources {
		names = append(names, s.Name)
	}
	for _, s := range g.d.Steps {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	if slices.ContainsFunc(g.d.Sinks, func(s Sink) bool { return s.Name == ref.Name }) {
		g.r.fault(at, msgReadsSink, reader, ref.Name)
		return
	}
	g.read[near(ref.Name, names)] = true // likely meant
	g.r.fault(at, msgDangling, reader, ref.Name, suggest(ref.Name, names))
}

// checkLetters looks whether the sinks of dead letters exist, and whether
// every sink gets something.
func (g *graph) checkLetters() {
	var names []string
	for _, s := range g.d.Sinks {
		names = append(names, s.Name)
	}
	gets := map[string]bool{}
	for _, p := range g.d.letters {
		gets[p.Sink] = true
		if !slices.Contains(names, p.Sink) {
			gets[near(p.Sink, names)] = true // likely meant
			g.r.fault(p.spot, msgLetterSink, p.Sink, suggest(p.Sink, names))
		}
	}
	for i, s := range g.d.Sinks {
		if !g.d.fed[i] && !gets[s.Name] && !g.r.blind {
			g.r.fault(g.d.sinks[i], msgNoFrom, "sinks."+s.Name)
		}
	}
}

// checkUnread looks for sources and steps whose records go nowhere.
func (g *graph) checkUnread() {
	if g.r.blind {
		return
	}
	for i, s := range g.d.Sources {
		if !g.read[s.Name] {
			g.r.fault(g.d.sources[i], msgUnreadSource, s.Name)
		}
	}
	for i, s := range g.d.Steps {
		if !g.read[s.Name] && g.d.stores[i].text == nil {
			g.r.fault(g.d.steps[i], msgUnreadStep, s.Name)
		}
	}
}

// checkCycles notes the circles that the steps go in; it reports whether
// there is none.
func (g *graph) checkCycles() bool {
	const (
		unseen = iota
		open
		done
	)
	state := make([]int, len(g.d.Steps))
	var way []string
	clean := true
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		way = append(way, g.d.Steps[i].Name)
		for j, ref := range g.d.Steps[i].From {
			next, ok := g.steps[ref.Name]
			if !ok {
				continue
			}
			switch state[next] {
			case unseen:
				visit(next)
			case open:
				clean = false
				circle := slices.Clone(way[slices.Index(way, ref.Name):])
				slices.Reverse(circle) // the way goes against the records
				circle = append(circle, circle[0])
				g.r.fault(g.d.stepFrom[i][j], msgCycle, strings.Join(circle, " → "))
			}
		}
		way = way[:len(way)-1]
		state[i] = done
	}
	for i := range g.d.Steps {
		if state[i] == unseen {
			visit(i)
		}
	}
	return clean
}

// checkStores refuses a store behind records that do not come by key. It is
// not called while the steps go round in circles.
func (g *graph) checkStores() {
	for i, s := range g.d.Steps {
		if g.d.stores[i].text == nil {
			continue
		}
		if why := g.unkeyed(&s); why != "" {
			g.r.fault(g.d.stores[i], msgUnkeyed, "steps."+s.Name, why)
		}
	}
}

// unkeyed says why the input of a step does not come by key, "" if it does.
func (g *graph) unkeyed(s *Step) string {
	if s.Key != nil {
		return ""
	}
	if why, ok := g.why[s.Name]; ok {
		return why
	}
	why := g.unkeyedInput(s)
	g.why[s.Name] = why
	return why
}

func (g *graph) unkeyedInput(s *Step) string {
	for _, ref := range s.From {
		if _, ok := g.sources[ref.Name]; ok {
			return fmt.Sprintf(whySource, ref.Name)
		}
		at, ok := g.steps[ref.Name]
		if !ok {
			continue // dangling, which is a fault of its own
		}
		from := &g.d.Steps[at]
		if from.Wasm != "" && !from.KeepsKey {
			return fmt.Sprintf(whyModule, from.Name)
		}
		if why := g.unkeyed(from); why != "" {
			return why
		}
	}
	return ""
}
