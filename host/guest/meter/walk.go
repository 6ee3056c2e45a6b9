package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// walker finds the longest paths between two checks through a body, and puts
// checks about calls where a path gets too long. Within a body that takes one
// pass: only loops lead back, and their heads have checks.
type walker struct {
	*rewriter
	graph  *graph
	code   wasm.Code
	labels []label

	here point
	lead uint32 // longest path from the entry to a check
}

// point is what is known of a place in a body: the longest paths that lead to
// it, none where there are none.
type point struct {
	entry uint32 // from the entry, without a check
	check uint32 // from a check
	tail  uint32 // from the entry, a check, or a call in a cycle
}

var nowhere = point{none, none, none}

func (p point) plus(n uint32) point {
	return point{plus(p.entry, n), plus(p.check, n), plus(p.tail, n)}
}

func (p point) or(q point) point {
	return point{longer(p.entry, q.entry), longer(p.check, q.check), longer(p.tail, q.tail)}
}

// longest is the longest path since a check or the entry, 0 where no path leads.
func (p point) longest() uint32 { return longer(longer(p.entry, p.check), 0) }

// label is an open block: what leaves it by a branch, and with what an if began.
type label struct {
	out, began point
	loop       bool
}

// walk finds the paths of a function, with checks in place; see
// rewriter.paths for the result.
func (w *walker) walk(node uint32) (tail uint32) {
	f := &w.funcs[node]
	next := f.sites
	w.here, w.lead = point{0, none, 0}, 0
	if f.entry {
		w.check()
	}
	w.code.Reset(w.m, &w.m.Bodies[node])
	w.labels = append(w.labels[:0], label{out: nowhere, began: nowhere})
	for in := (wasm.Instr{}); w.code.Next(&in); {
		w.here = w.here.plus(1)
		if next < f.end && int(w.sites[next].at) == in.Offset {
			w.site(f, &w.sites[next])
			next++
		}
		switch in.Op {
		case wasm.OpBlock:
			w.labels = append(w.labels, label{out: nowhere, began: nowhere})
		case wasm.OpLoop:
			w.check()
			w.labels = append(w.labels, label{out: nowhere, began: nowhere, loop: true})
		case wasm.OpIf:
			w.labels = append(w.labels, label{out: nowhere, began: w.here})
		case wasm.OpElse:
			l := &w.labels[len(w.labels)-1]
			l.out = l.out.or(w.here)
			w.here, l.began = l.began, nowhere
		case wasm.OpEnd:
			l := w.labels[len(w.labels)-1]
			w.labels = w.labels[:len(w.labels)-1]
			w.here = w.here.or(l.out).or(l.began)
		case wasm.OpBr:
			w.leave(in.A)
			w.here = nowhere
		case wasm.OpBrIf:
			w.leave(in.A)
		case wasm.OpBrTable:
			in.Targets(w.leave)
			w.here = nowhere
		case wasm.OpReturn:
			w.leave(uint32(len(w.labels) - 1))
			w.here = nowhere
		case wasm.OpUnreachable:
			w.here = nowhere
		}
	}
	end := w.here
	f.paths = paths{lead: max(w.lead, longer(end.entry, 0)), through: end.entry, trail: end.longest()}
	return longer(end.tail, 0)
}

// check notes a check here.
func (w *walker) check() {
	if w.here.entry != none {
		w.lead = max(w.lead, w.here.entry)
	}
	w.here = point{none, 0, 0}
}

// leave notes a branch; one to a loop ends at its check.
func (w *walker) leave(depth uint32) {
	l := &w.labels[len(w.labels)-1-int(depth)]
	if l.loop {
		here := w.here
		w.check()
		w.here = here
		return
	}
	l.out = l.out.or(w.here)
}

// site goes past a site.
func (w *walker) site(f *function, s *site) {
	to, ok := w.graph.target(s)
	if s.kind == siteIndirect || s.kind == siteLong {
		w.check()
	}
	if s.kind != siteCall || !ok {
		w.here = w.here.plus(own(w.m.ImportedFuncs, s))
		return
	}
	callee := &w.funcs[to]
	if long := w.here.longest(); long > 0 && add32(long, callee.lead) > pathLimit {
		w.check()
		s.check, f.checks = true, true
	}
	before := w.here
	w.here = before.plus(callee.through)
	trail, tail := callee.trail, callee.trail
	if w.graph.cyclic[to] {
		tail = 0
	}
	// What the callee runs to its first check may be the end of a path from
	// our entry.
	if before.entry != none {
		w.lead = max(w.lead, plus(before.entry, callee.lead))
	}
	w.here = w.here.or(point{none, trail, tail})
	if w.here.longest() > pathLimit {
		w.check()
		s.after, f.checks = true, true
	}
}
