package wasm

// expr reads a constant expression.
func (p *parser) expr(r *reader) Expr {
	at := r.pos
	e := Expr{Op: Op(r.byte())}
	switch e.Op {
	case OpI32Const:
		e.I32 = int32(r.signed(32))
	case OpI64Const:
		r.signed(64)
	case OpF32Const:
		r.bytes(4)
	case OpF64Const:
		r.bytes(8)
	case OpGlobalGet:
		if e.Index = r.u32(); int64(e.Index) >= int64(p.globals) {
			r.fail(at, "global %d of %d in a constant expression", e.Index, p.globals)
		}
	case OpRefNull:
		refType(r)
	case OpRefFunc:
		if e.Index = r.u32(); int64(e.Index) >= int64(p.m.funcs()) {
			r.fail(at, "function %d of %d in a constant expression", e.Index, p.m.funcs())
		}
	case 0xfd:
		if sub := r.u32(); sub != uint32(OpV128Const&0xff) {
			r.fail(at, "vector instruction %d in a constant expression", sub)
		}
		e.Op = OpV128Const
		r.bytes(16)
	default:
		r.fail(at, "instruction %#x in a constant expression", uint32(e.Op))
	}
	if end := r.byte(); r.err == nil && end != byte(OpEnd) {
		r.fail(at, "a constant expression of more than one instruction belongs to extended constants, which are not supported")
	}
	if r.err == nil {
		e.Bytes = r.b[at:r.pos:r.pos]
	}
	return e
}
