package meter

import (
	"encoding/binary"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// In the patient form the innermost loops are left for a tick and entered
// again:
//
//	block $done (result T*)     T* = results of the loop, which has no parameters
//	  loop $again (result T*)
//	    block $cold
//	      loop (result T*)      the original
//	        flag; br_if $cold
//	        BODY
//	      end
//	      br $done
//	    end
//	    depth; call tick
//	    br $again
//	  end
//	end
//
// At the head of a loop nothing of the pass has run, locals live as long as
// the function, and operands below stay. So nothing within the original loop
// comes back from a call for the check's sake, where the compiler would have
// to load everything anew. Branches that leave it have more blocks to leave.
const againLabels = 3

// mostAgain is how many loops of a function are entered again at most: the
// compiler's time grows faster than with the square of them.
const mostAgain = 64

// enter appends the beginning of such a loop, in the place of the original's
// instruction.
func (r *rewriter) enter(s *site, at, end int) {
	r.from(at, false)
	for _, op := range []wasm.Op{wasm.OpBlock, wasm.OpLoop} {
		r.out = append(append(r.out, byte(op)), r.m.Bytes[at+1:end]...)
	}
	r.open(wasm.OpBlock)
	r.copy(at, end)
	r.from(s.turn(), false)
	r.result.Checks++
	r.op(wasm.OpGlobalGet, r.flag())
	r.op(wasm.OpBrIf, 1)
	r.inside = s
}

// leave appends what stands behind the original's end.
func (r *rewriter) leave() {
	r.from(r.inside.turn(), false)
	r.op(wasm.OpBr, 2)
	r.plain(wasm.OpEnd)
	r.op(wasm.OpGlobalGet, r.depth())
	r.op(wasm.OpCall, r.tick())
	r.op(wasm.OpBr, 0)
	r.plain(wasm.OpEnd, wasm.OpEnd)
	r.inside = nil
}

// label returns what a label of the original has become at site s.
func (r *rewriter) label(s *site, label uint32) uint32 {
	if r.inside != nil && s.depth-label < r.inside.depth {
		return label + againLabels
	}
	return label
}

// branches appends a br_table and returns where the original's ends.
func (r *rewriter) branches(s *site, at int) (end int) {
	end = at + 1
	next := func() uint32 {
		v, n := binary.Uvarint(r.m.Bytes[end:])
		end += n
		return uint32(v)
	}
	r.op(wasm.OpBrTable, next())
	for range s.a + 1 {
		r.u32(r.label(s, next()))
	}
	return end
}

// branch notes a branch that leaves the innermost loop around it.
func (s *scanner) branch(in *wasm.Instr) {
	if s.o.Form != Patient || s.inner < 0 {
		return
	}
	within := uint32(len(s.blocks) - s.inner) // labels that stay in it
	if in.Op != wasm.OpBrTable {
		if in.A >= within {
			s.site(in, siteBranch, in.A)
		}
		return
	}
	leaves := false
	in.Targets(func(label uint32) { leaves = leaves || label >= within })
	if leaves {
		s.site(in, siteBranches, in.A)
	}
}

// loopEnd decides at its end whether a loop is entered again.
func (s *scanner) loopEnd(in *wasm.Instr, l *block) {
	s.inner = l.outer
	if s.o.Form != Patient || l.holds || l.params > 0 || s.agains == mostAgain {
		return
	}
	s.agains++
	s.sites[l.loop].again = true
	s.site(in, siteEnd, 0)
}
