package wasm

// Instr is one instruction of a body.
type Instr struct {
	Op     Op
	Offset int    // of its first byte in the module
	End    int    // behind its last byte
	A, B   uint32 // see Immediate
	Block  int32  // type of a block: a type index, or below 0 a value type's byte minus 0x80; NoResult

	code    *Code
	targets int // where the entries of a br_table begin
}

// NoResult is the Block of a block that takes and gives nothing.
const NoResult = -64

// Code reads the instructions of one body.
type Code struct {
	r     reader
	depth int // of open blocks, the body itself being one
	done  bool
}

// Code returns a reader of body b.
func (m *Module) Code(b *Body) *Code {
	c := new(Code)
	c.Reset(m, b)
	return c
}

// Reset makes c a reader of body b of m.
func (c *Code) Reset(m *Module, b *Body) {
	*c = Code{r: reader{b: m.Bytes, pos: b.Code, end: b.End, section: "code"}, depth: 1}
}

// Err returns what was wrong with the code, an *Error or nil.
func (c *Code) Err() error {
	if c.r.err == nil {
		return nil
	}
	return c.r.err
}

// Depth is the number of blocks that are open behind the last instruction,
// the body itself being one: 0 at the end.
func (c *Code) Depth() int { return c.depth }

// Next reads the next instruction into in. It returns false behind the end
// of the body, or if the code is malformed: see Err.
func (c *Code) Next(in *Instr) bool {
	r := &c.r
	if c.done || r.err != nil {
		return false
	}
	in.Offset = r.pos
	op := Op(r.byte())
	if op >= 0xfb {
		op = c.prefixed(op)
	}
	in.Op, in.A, in.B = op, 0, 0
	info := op.info()
	switch info.imm {
	case ImmNone:
		switch op {
		case OpEnd:
			if c.depth--; c.depth == 0 {
				c.done = true
				if r.left() > 0 {
					r.fail(r.pos, "%d bytes behind the end of a body", r.left())
				}
			}
		case OpElse:
			if c.depth < 2 {
				r.fail(in.Offset, "else without if")
			}
		}
	case ImmBlock:
		c.depth++
		in.Block = c.blockType()
	case ImmLabel:
		in.A = c.label()
	case ImmLabels:
		in.code, in.targets = c, r.pos
		in.A = uint32(r.count(1))
		for range in.A {
			c.label()
			if r.err != nil {
				break
			}
		}
		in.B = c.label()
	case ImmFunc, ImmLocal, ImmGlobal, ImmTable, ImmData, ImmElem:
		in.A = r.u32()
	case ImmMemory:
		in.A = c.memory()
	case ImmIndirect, ImmElemTab, ImmTables:
		in.A = r.u32()
		in.B = r.u32()
	case ImmDataMem:
		in.A = r.u32()
		in.B = c.memory()
	case ImmMemories:
		in.A = c.memory()
		in.B = c.memory()
	case ImmMem, ImmMemLane:
		in.A = r.u32()
		if in.A >= 32 {
			what := "an alignment of 2^%d"
			if in.A&0x40 != 0 {
				what = "flags %#x name a memory: more than one memory is not supported"
			}
			r.fail(in.Offset, what, in.A)
		}
		in.B = r.u32()
		if info.imm == ImmMemLane {
			r.byte()
		}
	case ImmRefType:
		in.A = uint32(refType(r))
	case ImmTypes:
		for range r.count(1) {
			in.A = uint32(valueType(r))
		}
	case ImmI32:
		in.A = uint32(r.signed(32))
	case ImmI64:
		r.signed(64)
	case ImmF32:
		r.bytes(4)
	case ImmF64:
		r.bytes(8)
	case ImmV128:
		r.bytes(16)
	case ImmLane:
		r.byte()
	default:
		if needs := op.Needs(); needs != "" {
			r.fail(in.Offset, "instruction %#x belongs to %s", uint32(op), needs)
		} else {
			r.fail(in.Offset, "instruction %#x is unknown", uint32(op))
		}
	}
	in.End = r.pos
	if r.err == nil && !c.done && r.left() == 0 {
		r.fail(r.pos, "a body without its end")
	}
	return r.err == nil
}

// prefixed reads the number behind a prefix.
func (c *Code) prefixed(p Op) Op {
	at := c.r.pos
	n := c.r.u32()
	if p == 0xff {
		return p
	}
	if n > 0xff {
		c.r.fail(at-1, "instruction %#x %#x belongs to %s", uint32(p), n, (p << 8).Needs())
	}
	return p<<8 | Op(n&0xff)
}

func (c *Code) blockType() int32 {
	r := &c.r
	if r.left() > 0 && r.b[r.pos] == 0x40 {
		r.pos++
		return NoResult
	}
	if r.left() > 0 && r.b[r.pos]&0xc0 == 0x40 {
		return int32(valueType(r)) - 0x80
	}
	t := r.signed(33)
	if t < 0 {
		r.fail(r.pos, "a block of type %d", t)
	}
	return int32(t)
}

func (c *Code) label() uint32 {
	at := c.r.pos
	l := c.r.u32()
	if int64(l) >= int64(c.depth) {
		c.r.fail(at, "a branch out of %d blocks where %d are open", l, c.depth)
	}
	return l
}

func (c *Code) memory() uint32 {
	at := c.r.pos
	m := c.r.byte()
	if m != 0 {
		c.r.fail(at, "memory %d is named: more than one memory is not supported", m)
	}
	return 0
}

// Targets calls f with each label of a br_table, the default last.
func (in *Instr) Targets(f func(depth uint32)) {
	r := in.code.r
	r.pos, r.err = in.targets, nil
	for range r.count(1) + 1 {
		f(r.u32())
	}
}
