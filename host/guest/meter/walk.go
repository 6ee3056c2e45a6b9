package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// walker finds the longest path between two checks through a body, and puts
// checks before calls where a path gets too long. Within a body that takes one
// pass: only loops lead back, and their heads have checks.
type walker struct {
	*rewriter
	code   wasm.Code
	labels []label
}

// label is an open block: the longest path that leaves it by a branch, and
// that with which an if began.
type label struct {
	out, began uint32
	loop, both bool // both: an if with its else
	isIf       bool
}

// walk returns the longest path of body i, with checks in place, in
// instructions and callees' weights.
func (w *walker) walk(i int) uint32 {
	var (
		f    = &w.funcs[i]
		next = f.sites
		in   wasm.Instr
		cur  uint32 // longest path to here since a check
		most uint32
	)
	check := func() {
		most = max(most, cur)
		cur = 0
	}
	leave := func(depth uint32) {
		if l := &w.labels[len(w.labels)-1-int(depth)]; !l.loop {
			l.out = max(l.out, cur)
		}
	}
	w.code.Reset(w.m, &w.m.Bodies[i])
	w.labels = append(w.labels[:0], label{})
	for w.code.Next(&in) {
		cur = add32(cur, 1)
		if next < f.end && int(w.sites[next].at) == in.Offset {
			s := &w.sites[next]
			next++
			weight := w.siteWeight(s)
			switch s.kind {
			case siteIndirect, siteLong:
				check()
			case siteCall, siteFill, siteCopy, siteInit:
				if s.kind == siteCall && add32(cur, weight) > pathLimit && cur > 0 {
					check()
					s.check, f.checks = true, true
				}
			}
			cur = add32(cur, weight)
		}
		switch in.Op {
		case wasm.OpBlock:
			w.labels = append(w.labels, label{})
		case wasm.OpLoop:
			check()
			w.labels = append(w.labels, label{loop: true})
		case wasm.OpIf:
			w.labels = append(w.labels, label{began: cur, isIf: true})
		case wasm.OpElse:
			l := &w.labels[len(w.labels)-1]
			l.out, l.both = max(l.out, cur), true
			most, cur = max(most, cur), l.began
		case wasm.OpEnd:
			l := w.labels[len(w.labels)-1]
			w.labels = w.labels[:len(w.labels)-1]
			cur = max(cur, l.out)
			if l.isIf && !l.both {
				cur = max(cur, l.began)
			}
		case wasm.OpBr:
			leave(in.A)
			check()
		case wasm.OpBrIf:
			leave(in.A)
		case wasm.OpBrTable:
			in.Targets(leave)
			check()
		case wasm.OpReturn, wasm.OpUnreachable:
			check()
		}
	}
	return max(most, cur)
}
