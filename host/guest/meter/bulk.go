package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// Parameters of a helper. That in the middle is the address, or the place in
// the segment, that bytes come from, and of memory.fill the value.
const (
	to     = 0
	from   = 1
	length = 2
)

// bulk appends the body of a helper for memory, without its size:
//
//	block $cold
//	  if length > bulkCheck
//	    check
//	    if length > bulkPiece and all of it is in bounds
//	      pieces, until no more than one is left
//	    end
//	  end
//	  the instruction
//	  return
//	end
//	depth; call tick; unreachable
//
// What is out of bounds traps in the instruction itself, before a byte is
// written. The counted form charges for all and does it at once.
func (r *rewriter) bulk(h helper) {
	r.out = append(r.out, 0, byte(wasm.OpBlock), 0x40) // no locals
	if r.o.Form == Counted {
		if h.kind != siteInit { // which is charged where it is called
			r.op(wasm.OpGlobalGet, r.fuel())
			r.wide(length)
			r.i64(4)
			r.plain(wasm.OpI64ShrU, wasm.OpI64Sub)
			r.spend(0)
		}
	} else {
		r.longer(bulkCheck)
		r.open(wasm.OpIf)
		r.check(1, 0)
		r.longer(bulkPiece)
		r.inBounds(h)
		r.open(wasm.OpIf)
		if h.kind == siteCopy {
			r.copyPieces(h)
		} else {
			r.forward(h, 3)
		}
		r.plain(wasm.OpEnd, wasm.OpEnd)
	}
	r.get(to, from, length)
	r.instr(h)
	r.plain(wasm.OpReturn, wasm.OpEnd)
	r.cold()
}

// copyPieces begins at the end that is not read any more when it is written.
func (r *rewriter) copyPieces(h helper) {
	r.get(from, to)
	r.plain(wasm.OpI32LtU)
	r.open(wasm.OpIf) // backward
	r.open(wasm.OpLoop)
	r.check(4, 0)
	r.move(length, wasm.OpI32Sub)
	for _, p := range []uint32{to, from} {
		r.get(p, length)
		r.plain(wasm.OpI32Add)
	}
	r.i32(bulkPiece)
	r.instr(h)
	r.again()
	r.plain(wasm.OpElse)
	r.forward(h, 4)
	r.plain(wasm.OpEnd)
}

// forward is the loop that goes upward; cold is its label of the cold end.
func (r *rewriter) forward(h helper, cold uint32) {
	r.open(wasm.OpLoop)
	r.check(cold, 0)
	r.get(to, from)
	r.i32(bulkPiece)
	r.instr(h)
	r.move(to, wasm.OpI32Add)
	if h.kind != siteFill {
		r.move(from, wasm.OpI32Add)
	}
	r.move(length, wasm.OpI32Sub)
	r.again()
}

// again ends a loop that goes on while more than a piece is left.
func (r *rewriter) again() {
	r.longer(bulkPiece)
	r.op(wasm.OpBrIf, 0)
	r.plain(wasm.OpEnd)
}

// inBounds appends: and all bytes are where they may be. That a segment was
// dropped is left to the first piece.
func (r *rewriter) inBounds(h helper) {
	memory := func() {
		r.op(wasm.OpMemorySize, 0)
		r.plain(wasm.OpI64ExtendI32U)
		r.i64(16)
		r.plain(wasm.OpI64Shl)
	}
	r.within(to, memory)
	switch h.kind {
	case siteCopy:
		r.within(from, memory)
	case siteInit:
		r.within(from, func() { r.i64(int64(len(r.m.Data[h.segment].Bytes))) })
	}
}

// within appends: and parameter p plus the length is at most what size pushes.
func (r *rewriter) within(p uint32, size func()) {
	r.wide(p)
	r.wide(length)
	r.plain(wasm.OpI64Add)
	size()
	r.plain(wasm.OpI64LeU, wasm.OpI32And)
}

func (r *rewriter) instr(h helper) {
	switch h.kind {
	case siteFill:
		r.out = append(wasm.AppendOp(r.out, wasm.OpMemoryFill), 0)
	case siteCopy:
		r.out = append(wasm.AppendOp(r.out, wasm.OpMemoryCopy), 0, 0)
	case siteInit:
		r.out = append(wasm.AppendU32(wasm.AppendOp(r.out, wasm.OpMemoryInit), h.segment), 0)
	}
}

// longer appends: the length is more than n bytes.
func (r *rewriter) longer(n uint32) {
	r.get(length)
	r.i32(n)
	r.plain(wasm.OpI32GtU)
}

// move adds a piece to a parameter or takes it off.
func (r *rewriter) move(p uint32, op wasm.Op) {
	r.get(p)
	r.i32(bulkPiece)
	r.plain(op)
	r.op(wasm.OpLocalSet, p)
}

func (r *rewriter) wide(p uint32) {
	r.get(p)
	r.plain(wasm.OpI64ExtendI32U)
}

func (r *rewriter) get(params ...uint32) {
	for _, p := range params {
		r.op(wasm.OpLocalGet, p)
	}
}

func (r *rewriter) open(op wasm.Op) { r.out = append(r.out, byte(op), 0x40) }
