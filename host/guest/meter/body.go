package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// wrapped reports whether a body gets the blocks around it:
//
//	                            depth += cost; br_if $cold (depth > budget)
//	block $cold                 if the function has a budget
//	  check                     if it has one at its entry
//	  block (result T*)         in the place of the function's own label
//	    BODY                    with a budget: return becomes br
//	  end
//	  depth -= cost             if the function has a budget
//	  return
//	end
//	depth; call tick; unreachable
//
// No branch changes its number, and what was valid or invalid stays so. That
// there is one cold end, which never returns, is what makes checks cheap: a
// path that comes back would make the compiler load everything anew.
func (r *rewriter) wrapped(f *function) bool {
	switch {
	case f.cost > 0 || r.o.Form == Counted:
		return true
	case r.o.Form == Patient:
		return false
	}
	return f.entry || f.checks
}

// body appends body i, without its size.
func (r *rewriter) body(i int) {
	m, b, f := r.m, &r.m.Bodies[i], &r.funcs[i]
	wrapped := r.wrapped(f)
	r.out = append(r.out, m.Bytes[b.Offset:b.Code]...)
	r.from(b.Code, false)
	if wrapped {
		r.out = append(r.out, byte(wasm.OpBlock), 0x40)
	}
	if f.cost > 0 {
		r.result.Budgeted++
		r.take(f.cost)
	}
	if f.entry || r.o.Form == Counted {
		r.result.EntryChecks++
		r.check(0, max(f.outside, 1))
	}
	if wrapped {
		r.out = wasm.AppendBlockType(append(r.out, byte(wasm.OpBlock)), r.added.block(r, m.Funcs[i]))
	}
	pos := b.Code
	for j := f.sites; j < f.end; j++ {
		s := &r.sites[j]
		if s.kind == siteReturn && f.cost == 0 {
			continue
		}
		at, end := int(s.at), int(s.at)+int(s.size)
		r.copy(pos, at)
		r.from(at, false)
		pos = r.site(s, at, end)
	}
	r.copy(pos, b.End)
	if !wrapped {
		return
	}
	r.from(b.Code, false)
	if f.cost > 0 {
		r.give(f.cost)
	}
	r.out = append(r.out, byte(wasm.OpReturn), byte(wasm.OpEnd))
	r.cold()
}

// site appends what takes the place of an instruction, at to end, and returns
// from where on the original goes on.
func (r *rewriter) site(s *site, at, end int) int {
	imported := uint32(r.m.ImportedFuncs)
	switch s.kind {
	case siteCall:
		if s.check && r.o.Form != Counted {
			r.check(s.depth, 0)
		}
		if s.a < imported {
			return at
		}
		r.op(wasm.OpCall, s.a+1)
		if s.after && r.o.Form != Counted {
			r.check(s.depth, 0)
		}
	case siteRefFunc:
		if s.a < imported {
			return at
		}
		r.op(wasm.OpRefFunc, s.a+1)
	case siteIndirect:
		if r.o.Form != Counted {
			r.check(s.depth, 0)
		}
		if !s.after || r.o.Form == Counted {
			return at
		}
		r.copy(at, end)
		r.from(at, false)
		r.check(s.depth, 0)
	case siteLong:
		if r.o.Form != Counted {
			r.result.Checks++
			r.helperCall(s)
		}
		return at
	case siteLoop:
		if s.again {
			r.enter(s, at, end)
			return end
		}
		r.copy(at, end)
		r.from(s.turn(), false)
		r.check(s.depth, s.a)
	case siteEnd:
		r.copy(at, end)
		r.leave()
	case siteBranch:
		r.op(wasm.Op(r.m.Bytes[at]), r.label(s, s.a))
	case siteBranches:
		return r.branches(s, at)
	case siteReturn:
		r.op(wasm.OpBr, r.label(s, s.depth-1))
	case siteFill, siteCopy, siteInit:
		r.helperCall(s)
	}
	return end
}

// copy appends the original's bytes.
func (r *rewriter) copy(from, to int) {
	if from < to {
		r.from(from, true)
		r.out = append(r.out, r.m.Bytes[from:to]...)
	}
}

// op appends an instruction with an index.
func (r *rewriter) op(op wasm.Op, index uint32) {
	r.out = wasm.AppendU32(append(r.out, byte(op)), index)
}

// i32 appends a constant that is not negative.
func (r *rewriter) i32(v uint32) {
	r.out = wasm.AppendS64(append(r.out, byte(wasm.OpI32Const)), int64(int32(v)))
}

func (r *rewriter) plain(ops ...wasm.Op) {
	for _, op := range ops {
		r.out = append(r.out, byte(op))
	}
}
