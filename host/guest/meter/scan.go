package meter

import (
	"math"
	"slices"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// block is an open block of the body that is scanned.
type block struct {
	base   int    // height of the operand stack below its parameters
	params int    // arity of its type
	result int    //
	loop   int    // site of a loop, -1
	outer  int    // of a loop: the block of the loop around it, -1
	saved  uint32 // of a loop: the count outside of it
	holds  bool   // of a loop: another loop
	live   bool   // it was entered from code that can be reached
}

// scanner reads bodies once and notes sites and facts. It does not check
// types: what it computes of an invalid body is of no use and does no harm.
type scanner struct {
	*rewriter
	code    wasm.Code
	blocks  []block
	inner   int    // the innermost loop among them, -1
	agains  uint32 // loops of the body that are entered again
	vectors []bool // of each type: it has a parameter that is one
}

func (r *rewriter) scan() error {
	s := scanner{rewriter: r, vectors: make([]bool, len(r.m.Types))}
	for i := range r.m.Types {
		s.vectors[i] = slices.Contains(r.m.Types[i].Params, wasm.V128)
	}
	for i := range r.m.Bodies {
		if err := s.body(i); err != nil {
			return err
		}
	}
	return nil
}

// body scans body i.
func (s *scanner) body(i int) error {
	m, b, f := s.m, &s.m.Bodies[i], &s.funcs[i]
	typ := &m.Types[m.Funcs[i]]
	vectors := b.Vectors || s.vectors[m.Funcs[i]]
	f.sites = uint32(len(s.sites))
	s.blocks = append(s.blocks[:0], block{result: len(typ.Results), loop: -1, live: true})
	s.inner, s.agains = -1, 0
	s.code.Reset(m, b)
	var (
		in     wasm.Instr
		height int    // of the operand stack
		most   int    // greatest height
		count  uint32 // instructions of the innermost loop
		total  uint32
		live   = true
		left   bool // a branch may have left the function
	)
	for s.code.Next(&in) {
		count++
		total++
		switch in.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			params, result, err := s.arity(&in)
			if err != nil {
				return err
			}
			if in.Op == wasm.OpIf {
				height--
			}
			s.blocks = append(s.blocks, block{base: height - params, params: params, result: result, loop: -1, live: live})
			if in.Op == wasm.OpLoop {
				if len(s.blocks) == 2 && live && !left && len(s.sites) == int(f.sites) {
					f.top = total
				}
				top := &s.blocks[len(s.blocks)-1]
				top.loop, top.saved, count = len(s.sites), count, 0
				s.site(&in, siteLoop, 0)
				f.checks = true
				if top.outer = s.inner; s.inner >= 0 {
					s.blocks[s.inner].holds = true
				}
				s.inner = len(s.blocks) - 1
			}
			continue
		case wasm.OpElse:
			top := &s.blocks[len(s.blocks)-1]
			height, live = top.base+top.params, top.live
			continue
		case wasm.OpEnd:
			top := s.blocks[len(s.blocks)-1]
			s.blocks = s.blocks[:len(s.blocks)-1]
			height, live = top.base+top.result, top.live
			if top.loop >= 0 {
				s.sites[top.loop].a = count
				s.loopEnd(&in, &top)
				count = top.saved
			}
			most = max(most, height)
			continue
		case wasm.OpUnreachable:
			live, left = false, true
			continue
		case wasm.OpBr, wasm.OpBrTable:
			s.back(&in)
			s.branch(&in)
			live, left = false, true
			continue
		case wasm.OpBrIf:
			s.back(&in)
			s.branch(&in)
			left = true
			height--
		case wasm.OpReturn:
			if live {
				s.site(&in, siteReturn, 0)
				f.returns = true
			}
			live, left = false, true
			continue
		case wasm.OpCall:
			if int64(in.A) >= int64(len(s.types)) {
				return fault("code", in.Offset, "it calls function %d of %d", in.A, len(s.types))
			}
			s.site(&in, siteCall, in.A)
			height += s.net(s.types[in.A])
		case wasm.OpCallIndirect:
			if int64(in.A) >= int64(len(m.Types)) {
				return fault("code", in.Offset, "it calls a function of type %d of %d", in.A, len(m.Types))
			}
			s.site(&in, siteIndirect, s.canon[in.A])
			f.checks = true
			height += s.net(in.A) - 1
		case wasm.OpGlobalGet, wasm.OpGlobalSet:
			if int64(in.A) >= int64(s.globals) {
				return fault("code", in.Offset, "it names global %d of %d", in.A, s.globals)
			}
			height += in.Op.Height()
		case wasm.OpRefFunc:
			if int64(in.A) >= int64(len(s.types)) {
				return fault("code", in.Offset, "it refers to function %d of %d", in.A, len(s.types))
			}
			if !s.declared[in.A] {
				return fault("code", in.Offset, "it refers to function %d, which is in no element segment, global or export", in.A)
			}
			s.taken[in.A] = true
			s.site(&in, siteRefFunc, in.A)
			height++
		case wasm.OpMemoryInit, wasm.OpMemoryCopy, wasm.OpMemoryFill, wasm.OpDataDrop,
			wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableInit, wasm.OpTableCopy, wasm.OpTableFill, wasm.OpElemDrop:
			n, err := s.long(&in)
			if err != nil {
				return err
			}
			count, total = add32(count, n), add32(total, n)
			height += in.Op.Height()
		default:
			vectors = vectors || in.Op >= 0xfd00
			height += in.Op.Height()
		}
		if live {
			most = max(most, height)
		}
	}
	if err := s.code.Err(); err != nil {
		return err
	}
	f.end = uint32(len(s.sites))
	f.instrs, f.outside = total, count
	f.frame = frameSize(len(typ.Params)+b.Locals, most, vectors)
	return nil
}

// back notes a branch to a loop. It is where the source says loop: the
// instruction that opens one has the line of whatever stands before or in it.
func (s *scanner) back(in *wasm.Instr) {
	if i := len(s.blocks) - 1 - int(in.A); in.Op != wasm.OpBrTable && i >= 0 && s.blocks[i].loop >= 0 {
		s.sites[s.blocks[i].loop].back = uint32(in.Offset)
	}
}

// long notes an operation on a range, and what else makes an image less than
// whole. It returns how many instructions it stands for, itself aside.
func (s *scanner) long(in *wasm.Instr) (uint32, error) {
	switch in.Op {
	case wasm.OpMemoryFill:
		s.site(in, siteFill, 0)
		s.helpers.fill = true
	case wasm.OpMemoryCopy:
		s.site(in, siteCopy, 0)
		s.helpers.copy = true
	case wasm.OpMemoryInit:
		if int64(in.A) >= int64(len(s.m.Data)) {
			return 0, fault("code", in.Offset, "it names data segment %d of %d", in.A, len(s.m.Data))
		}
		n := len(s.m.Data[in.A].Bytes)
		if n > bulkPiece {
			s.site(in, siteInit, in.A)
			s.helpers.needInit(in.A)
		} else {
			s.site(in, siteLong, 0)
			s.needCheck()
		}
		return uint32(n / 16), nil
	case wasm.OpTableGrow, wasm.OpTableInit, wasm.OpTableCopy, wasm.OpTableFill:
		s.whole = false
		s.site(in, siteLong, 0)
		s.needCheck()
		return tableCost, nil
	default:
		s.whole = false
	}
	return 0, nil
}

// needCheck notes that the helper is used; the counted form charges instead.
func (s *scanner) needCheck() { s.helpers.check = s.o.Form != Counted }

func (s *scanner) site(in *wasm.Instr, kind siteKind, a uint32) {
	s.sites = append(s.sites, site{
		at: uint32(in.Offset), a: a, depth: uint32(s.code.Depth()), kind: kind, size: uint8(in.End - in.Offset),
	})
}

// arity returns how many parameters and results a block has.
func (s *scanner) arity(in *wasm.Instr) (params, results int, err error) {
	switch {
	case in.Block == wasm.NoResult:
		return 0, 0, nil
	case in.Block < 0:
		return 0, 1, nil
	case int(in.Block) >= len(s.m.Types):
		return 0, 0, fault("code", in.Offset, "a block of type %d of %d", in.Block, len(s.m.Types))
	}
	t := &s.m.Types[in.Block]
	return len(t.Params), len(t.Results), nil
}

// net returns by how much a call of a function of type t changes the height.
func (s *scanner) net(t uint32) int {
	typ := &s.m.Types[t]
	return len(typ.Results) - len(typ.Params)
}

// frameSize returns the bytes of stack that a frame is taken to need.
func frameSize(locals, operands int, vectors bool) uint32 {
	slot := int64(8)
	if vectors {
		slot = 16
	}
	return uint32(min(frameBytes+slot*(int64(locals)+int64(operands)), mostFrame))
}

// add32 adds and stops at the greatest number.
func add32(a, b uint32) uint32 {
	if c := a + b; c >= a {
		return c
	}
	return math.MaxUint32
}
