package wasmgen

import (
	"encoding/binary"
	"math"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// value emits code that leaves one value of type t.
func (b *body) value(t byte, deep int) {
	if deep <= 0 || b.left < 0 {
		b.leaf(t)
		return
	}
	switch b.n(16) {
	case 0, 1:
		b.leaf(t)
	case 2:
		b.choice(t, deep)
	case 3:
		b.value(t, deep-1)
		b.emit(wasm.OpLocalTee)
		b.u32(b.local(t))
	case 4:
		b.block(string([]byte{':', t}), deep-1)
	case 5:
		b.branch(string([]byte{':', t}), deep-1)
	case 6:
		if !b.straight {
			if f, ok := b.returning(t); ok {
				b.call(f, deep-1)
				for range len(b.results(f)) - 1 {
					b.emit(wasm.OpDrop)
				}
				return
			}
		}
		b.leaf(t)
	default:
		ops := b.produce[t]
		b.apply(ops[b.n(len(ops))], deep-1)
	}
}

func (b *body) values(types string, deep int) {
	for i := range types {
		b.value(types[i], deep)
	}
}

// leaf emits one instruction that leaves a value.
func (b *body) leaf(t byte) {
	switch b.n(3) {
	case 0:
		b.emit(wasm.OpLocalGet)
		b.u32(b.local(t))
	case 1:
		b.emit(wasm.OpGlobalGet)
		b.u32(b.global(t))
	default:
		b.constant(t)
	}
}

func (b *body) constant(t byte) {
	switch t {
	case 'r':
		if b.one(2) {
			b.apply(op{Op: 0xd2}, 0)
			return
		}
		b.emit(wasm.OpRefNull, byte(wasm.FuncRef))
	case 'x':
		b.emit(wasm.OpRefNull, byte(wasm.ExternRef))
	default:
		b.code = b.literal(b.code, t)
		b.left--
	}
}

// Bit patterns where arithmetic changes its ways.
var (
	edges32 = []uint32{0, 1, 2, 31, 32, 0x7f, 0x80, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		math.Float32bits(1), math.Float32bits(-1.5), 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001, 0x4f000000, 0x00000001}
	edges64 = []uint64{0, 1, 2, 63, 64, 0xff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
		math.Float64bits(1), math.Float64bits(-2.5), 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff4000000000001, 0x43e0000000000000}
)

// literal appends a constant instruction of a number or vector.
func (g *gen) literal(c []byte, t byte) []byte {
	switch t {
	case 'i':
		return wasm.AppendS64(wasm.AppendOp(c, wasm.OpI32Const), int64(int32(g.bits32())))
	case 'l':
		return wasm.AppendS64(wasm.AppendOp(c, wasm.OpI64Const), int64(g.bits64()))
	case 'f':
		return binary.LittleEndian.AppendUint32(wasm.AppendOp(c, wasm.OpF32Const), g.bits32())
	case 'd':
		return binary.LittleEndian.AppendUint64(wasm.AppendOp(c, wasm.OpF64Const), g.bits64())
	default:
		c = binary.LittleEndian.AppendUint64(wasm.AppendOp(c, wasm.OpV128Const), g.bits64())
		return binary.LittleEndian.AppendUint64(c, g.bits64())
	}
}

func (g *gen) bits32() uint32 {
	if g.one(2) {
		return edges32[g.n(len(edges32))]
	}
	return g.rnd.Uint32()
}

func (g *gen) bits64() uint64 {
	if g.one(2) {
		return edges64[g.n(len(edges64))]
	}
	return g.rnd.Uint64()
}

// choice emits select in one of its two forms.
func (b *body) choice(t byte, deep int) {
	b.value(t, deep-1)
	b.value(t, deep-1)
	b.value('i', deep-1)
	if t == 'r' || t == 'x' || b.one(2) {
		b.emit(wasm.OpSelectT, 1, byte(valueTypes[t]))
		return
	}
	b.emit(wasm.OpSelect)
}

// apply emits an instruction behind its operands. Where a random operand
// would nearly always trap, most are brought into bounds.
func (b *body) apply(o op, deep int) {
	wild := b.one(40)
	switch {
	case o.Op == wasm.OpMemoryGrow:
		b.bounded(deep, 1)
	case o.Op == wasm.OpMemoryInit || o.Op == wasm.OpTableInit:
		b.bounded(deep, map[wasm.Op]int32{wasm.OpMemoryInit: mask, wasm.OpTableInit: 3}[o.Op])
		b.number(int32(b.n(4)))
		b.number(int32(b.n(5)))
	case (o.Op == wasm.OpMemoryCopy || o.Op == wasm.OpMemoryFill) && !wild:
		b.bounded(deep, mask)
		b.bounded(deep, mask)
		b.bounded(deep, b.most)
	case o.Op == wasm.OpTableCopy && !wild:
		b.values3(deep, 3, 3, 4)
	case o.Op == wasm.OpTableFill && !wild:
		b.bounded(deep, 3)
		b.value(o.in[1], deep)
		b.bounded(deep, 4)
	case o.Op == wasm.OpTableGrow:
		b.value(o.in[0], deep)
		b.bounded(deep, 1)
	case (o.Op == wasm.OpTableGet || o.Op == wasm.OpTableSet) && !wild:
		b.bounded(deep, 7)
		b.values(o.in[1:], deep)
	case memory(o.Op) && !wild:
		b.bounded(deep, mask)
		b.values(o.in[1:], deep)
	case divides(o.Op) && !wild:
		b.value(o.in[0], deep)
		b.value(o.in[1], deep)
		b.literalOne(o.in[1])
	case o.Op >= 0xa8 && o.Op <= 0xb1 && o.in != "i" && !wild: // truncation
		b.bounded(deep, 0xffff)
		b.emit(map[byte]wasm.Op{'f': 0xb3, 'd': 0xb8}[o.in[0]])
	default:
		b.values(o.in, deep)
	}
	b.bare(o)
}

func (b *body) values3(deep int, to, from, n int32) {
	b.bounded(deep, to)
	b.bounded(deep, from)
	b.bounded(deep, n)
}

func memory(o wasm.Op) bool {
	imm := o.Immediate()
	return imm == wasm.ImmMem || imm == wasm.ImmMemLane
}

func divides(o wasm.Op) bool { return o >= 0x6d && o <= 0x70 || o >= 0x7f && o <= 0x82 }

// bounded emits an i32 and a mask.
func (b *body) bounded(deep int, mask int32) {
	b.value('i', deep)
	b.number(mask)
	b.emit(wasm.OpI32And)
}

// literalOne sets the lowest bit of an i32 or i64, so that it is not zero.
func (b *body) literalOne(t byte) {
	if t == 'i' {
		b.number(1)
		b.emit(0x72)
		return
	}
	b.emit(wasm.OpI64Const, 1)
	b.emit(0x84)
}

func (b *body) number(n int32) {
	b.emit(wasm.OpI32Const)
	b.code = wasm.AppendS64(b.code, int64(n))
}

// bare emits an instruction without its operands.
func (b *body) bare(o op) {
	b.emit(o.Op)
	switch o.Immediate() {
	case wasm.ImmMem, wasm.ImmMemLane:
		b.code = append(b.code, byte(b.n(int(o.align)+1)))
		b.u32(uint32(b.n(0x4000)))
		if o.lanes > 0 {
			b.code = append(b.code, byte(b.n(int(o.lanes))))
		}
	case wasm.ImmLane:
		b.code = append(b.code, byte(b.n(int(o.lanes))))
	case wasm.ImmMemory:
		b.code = append(b.code, 0)
	case wasm.ImmMemories:
		b.code = append(b.code, 0, 0)
	case wasm.ImmDataMem:
		b.u32(b.passiveData())
		b.code = append(b.code, 0)
	case wasm.ImmData:
		b.u32(b.passiveData())
	case wasm.ImmElemTab:
		b.code = append(b.code, byte(passiveElem), tableFuncs)
	case wasm.ImmElem:
		b.code = append(b.code, byte(passiveElem))
	case wasm.ImmTables:
		b.code = append(b.code, tableFuncs, []byte{tableFuncs, tableCalls}[b.n(2)])
	case wasm.ImmTable:
		t := byte(tableFuncs)
		if o.out == 'x' || len(o.in) > 0 && (o.in[0] == 'x' || len(o.in) > 1 && o.in[1] == 'x') {
			t = tableExterns
		}
		b.code = append(b.code, t)
	case wasm.ImmRefType:
		b.code = append(b.code, byte(valueTypes[o.out]))
	case wasm.ImmFunc: // ref.func
		b.u32(uint32(b.n(b.imported + len(b.funcs))))
	case wasm.ImmI32, wasm.ImmI64, wasm.ImmF32, wasm.ImmF64:
		b.code = b.literal(b.code[:len(b.code)-1], o.out)
	case wasm.ImmV128:
		if o.Op == wasm.OpV128Const {
			b.code = b.literal(b.code[:len(b.code)-2], 'v')
			return
		}
		for range 16 { // i8x16.shuffle
			b.code = append(b.code, byte(b.n(32)))
		}
	}
}
