package wasm

// types reads the type section.
func (p *parser) types(r *reader) {
	n := r.counted(3, p.caps.Types, "types")
	p.m.Types = make([]FuncType, 0, n)
	for range n {
		at := r.pos
		switch form := r.byte(); form {
		case 0x60:
		case 0x4e, 0x4f, 0x50, 0x5e, 0x5f:
			r.fail(at, "type form %#x belongs to garbage collection, which is not supported: build for core WebAssembly", form)
		default:
			r.fail(at, "type form %#x is not a function's", form)
		}
		p.m.Types = append(p.m.Types, FuncType{p.valueTypes(r, "parameters"), p.valueTypes(r, "results")})
		if r.err != nil {
			return
		}
	}
}

func (p *parser) valueTypes(r *reader, of string) []ValueType {
	at := r.pos
	n := r.count(1)
	if p.caps.Values > 0 && n > p.caps.Values {
		r.over(at, "values of a type", "a type of %d %s, at most %d are allowed", n, of, p.caps.Values)
		return nil
	}
	types := make([]ValueType, n)
	for i := range types {
		types[i] = valueType(r)
	}
	return types
}

func valueType(r *reader) ValueType {
	at := r.pos
	t := ValueType(r.byte())
	switch t {
	case I32, I64, F32, F64, V128, FuncRef, ExternRef:
	case 0x63, 0x64:
		r.fail(at, "value type %#x belongs to typed function references, which are not supported", byte(t))
	case 0x69:
		r.fail(at, "value type %#x belongs to exception handling, which is not supported", byte(t))
	case 0x65, 0x66, 0x67, 0x68, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x71, 0x72, 0x73:
		r.fail(at, "value type %#x belongs to garbage collection, which is not supported", byte(t))
	default:
		r.fail(at, "value type %#x is unknown", byte(t))
	}
	return t
}

func refType(r *reader) ValueType {
	at := r.pos
	t := valueType(r)
	if r.err == nil && t != FuncRef && t != ExternRef {
		r.fail(at, "type %#x is not a reference type", byte(t))
	}
	return t
}

func (p *parser) typeIndex(r *reader) uint32 {
	at := r.pos
	t := r.u32()
	if int64(t) >= int64(len(p.m.Types)) {
		r.fail(at, "type %d of %d", t, len(p.m.Types))
	}
	return t
}

func tableType(r *reader) TableType {
	if r.left() > 0 && r.b[r.pos] == 0x40 {
		r.fail(r.pos, "a table with an initial value belongs to typed function references, which are not supported")
	}
	return TableType{refType(r), limits(r, "table")}
}

func memoryLimits(r *reader) Limits {
	l := limits(r, "memory")
	const most = 1 << 16
	if r.err == nil && (l.Min > most || l.HasMax && l.Max > most) {
		r.fail(l.Offset, "a memory of more than %d pages", most)
	}
	return l
}

func limits(r *reader, of string) Limits {
	l := Limits{Offset: r.pos}
	flags := r.byte()
	switch {
	case flags&2 != 0 && flags < 8:
		r.fail(l.Offset, "a shared %s belongs to threads, which are not supported: build without atomics and shared memory", of)
	case flags&4 != 0 && flags < 8:
		r.fail(l.Offset, "a 64-bit %s belongs to memory64, which is not supported: build for wasm32", of)
	case flags > 1:
		r.fail(l.Offset, "limits of a %s have flags %#x, which are unknown", of, flags)
	}
	l.Min = r.u32()
	if flags&1 != 0 {
		l.HasMax, l.Max = true, r.u32()
		if l.Max < l.Min {
			r.fail(l.Offset, "the maximum of a %s, %d, is below its minimum, %d", of, l.Max, l.Min)
		}
	}
	return l
}

func globalType(r *reader) GlobalType {
	t := valueType(r)
	at := r.pos
	mutable := r.byte()
	if mutable > 1 {
		r.fail(at, "mutability %d of a global", mutable)
	}
	return GlobalType{t, mutable == 1}
}
