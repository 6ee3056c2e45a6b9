package wasm

// Op is an instruction: its byte, or 0xfc00 or 0xfd00 plus the number behind
// that prefix.
type Op uint32

// Instructions that others know by name.
const (
	OpUnreachable   Op = 0x00
	OpNop           Op = 0x01
	OpBlock         Op = 0x02
	OpLoop          Op = 0x03
	OpIf            Op = 0x04
	OpElse          Op = 0x05
	OpEnd           Op = 0x0b
	OpBr            Op = 0x0c
	OpBrIf          Op = 0x0d
	OpBrTable       Op = 0x0e
	OpReturn        Op = 0x0f
	OpCall          Op = 0x10
	OpCallIndirect  Op = 0x11
	OpDrop          Op = 0x1a
	OpSelect        Op = 0x1b
	OpSelectT       Op = 0x1c
	OpLocalGet      Op = 0x20
	OpLocalSet      Op = 0x21
	OpLocalTee      Op = 0x22
	OpGlobalGet     Op = 0x23
	OpGlobalSet     Op = 0x24
	OpTableGet      Op = 0x25
	OpTableSet      Op = 0x26
	OpMemorySize    Op = 0x3f
	OpMemoryGrow    Op = 0x40
	OpI32Const      Op = 0x41
	OpI64Const      Op = 0x42
	OpF32Const      Op = 0x43
	OpF64Const      Op = 0x44
	OpI32Eqz        Op = 0x45
	OpI32LtU        Op = 0x49
	OpI32GtU        Op = 0x4b
	OpI64LtS        Op = 0x53
	OpI64LeU        Op = 0x58
	OpI32Add        Op = 0x6a
	OpI32Sub        Op = 0x6b
	OpI32And        Op = 0x71
	OpI64Add        Op = 0x7c
	OpI64Sub        Op = 0x7d
	OpI64Shl        Op = 0x86
	OpI64ShrU       Op = 0x88
	OpI64ExtendI32U Op = 0xad
	OpRefNull       Op = 0xd0
	OpRefIsNull     Op = 0xd1
	OpRefFunc       Op = 0xd2

	OpMemoryInit Op = 0xfc08
	OpDataDrop   Op = 0xfc09
	OpMemoryCopy Op = 0xfc0a
	OpMemoryFill Op = 0xfc0b
	OpTableInit  Op = 0xfc0c
	OpElemDrop   Op = 0xfc0d
	OpTableCopy  Op = 0xfc0e
	OpTableGrow  Op = 0xfc0f
	OpTableFill  Op = 0xfc11

	OpV128Const Op = 0xfd0c
)

// Immediate is what follows an instruction's number.
type Immediate uint8

// The immediates, and where Instr has them.
const (
	ImmUnknown Immediate = iota // no instruction of core version 2
	ImmNone
	ImmBlock    // a block type: Block
	ImmLabel    // A = depth
	ImmLabels   // Targets
	ImmFunc     // A = function
	ImmIndirect // A = type, B = table
	ImmLocal    // A = local
	ImmGlobal   // A = global
	ImmTable    // A = table
	ImmRefType  // A = type
	ImmTypes    // a vector of value types
	ImmMem      // alignment A and offset B
	ImmMemLane  // the same and a lane
	ImmMemory   // A = memory
	ImmMemories // A = to, B = from
	ImmDataMem  // A = data segment, B = memory
	ImmData     // A = data segment
	ImmElemTab  // A = element segment, B = table
	ImmElem     // A = element segment
	ImmTables   // A = to, B = from
	ImmI32      // A
	ImmI64
	ImmF32
	ImmF64
	ImmV128
	ImmLane
)

// opInfo is what is known of an instruction: its immediate, and by how much
// it changes the height of the operand stack. Of calls and control the height
// depends on types.
type opInfo struct {
	imm    Immediate
	height int8
}

var (
	plain  = plainOps()
	prefix = prefixOps() // 0xfc
	vector = vectorOps() // 0xfd
)

func set(table []opInfo, from, to int, imm Immediate, height int8) {
	for i := from; i <= to; i++ {
		table[i] = opInfo{imm, height}
	}
}

func plainOps() (ops [0x100]opInfo) {
	p := ops[:]
	set(p, 0x00, 0x01, ImmNone, 0)
	set(p, 0x02, 0x03, ImmBlock, 0)
	set(p, 0x04, 0x04, ImmBlock, -1)
	set(p, 0x05, 0x05, ImmNone, 0)
	set(p, 0x0b, 0x0b, ImmNone, 0)
	set(p, 0x0c, 0x0c, ImmLabel, 0)
	set(p, 0x0d, 0x0d, ImmLabel, -1)
	set(p, 0x0e, 0x0e, ImmLabels, -1)
	set(p, 0x0f, 0x0f, ImmNone, 0)
	set(p, 0x10, 0x10, ImmFunc, 0)
	set(p, 0x11, 0x11, ImmIndirect, -1)
	set(p, 0x1a, 0x1a, ImmNone, -1)
	set(p, 0x1b, 0x1b, ImmNone, -2)
	set(p, 0x1c, 0x1c, ImmTypes, -2)
	set(p, 0x20, 0x20, ImmLocal, 1)
	set(p, 0x21, 0x21, ImmLocal, -1)
	set(p, 0x22, 0x22, ImmLocal, 0)
	set(p, 0x23, 0x23, ImmGlobal, 1)
	set(p, 0x24, 0x24, ImmGlobal, -1)
	set(p, 0x25, 0x25, ImmTable, 0)
	set(p, 0x26, 0x26, ImmTable, -2)
	set(p, 0x28, 0x35, ImmMem, 0)  // loads
	set(p, 0x36, 0x3e, ImmMem, -2) // stores
	set(p, 0x3f, 0x3f, ImmMemory, 1)
	set(p, 0x40, 0x40, ImmMemory, 0)
	set(p, 0x41, 0x41, ImmI32, 1)
	set(p, 0x42, 0x42, ImmI64, 1)
	set(p, 0x43, 0x43, ImmF32, 1)
	set(p, 0x44, 0x44, ImmF64, 1)
	set(p, 0x45, 0x45, ImmNone, 0)  // i32.eqz
	set(p, 0x46, 0x4f, ImmNone, -1) // i32 comparisons
	set(p, 0x50, 0x50, ImmNone, 0)  // i64.eqz
	set(p, 0x51, 0x66, ImmNone, -1) // other comparisons
	set(p, 0x67, 0x69, ImmNone, 0)  // i32.clz, ctz, popcnt
	set(p, 0x6a, 0x78, ImmNone, -1)
	set(p, 0x79, 0x7b, ImmNone, 0)
	set(p, 0x7c, 0x8a, ImmNone, -1)
	set(p, 0x8b, 0x91, ImmNone, 0) // f32.abs .. sqrt
	set(p, 0x92, 0x98, ImmNone, -1)
	set(p, 0x99, 0x9f, ImmNone, 0)
	set(p, 0xa0, 0xa6, ImmNone, -1)
	set(p, 0xa7, 0xc4, ImmNone, 0) // conversions and sign extension
	set(p, 0xd0, 0xd0, ImmRefType, 1)
	set(p, 0xd1, 0xd1, ImmNone, 0)
	set(p, 0xd2, 0xd2, ImmFunc, 1)
	return ops
}

func prefixOps() (c [0x12]opInfo) {
	set(c[:], 0, 7, ImmNone, 0) // saturating truncation
	c[8] = opInfo{ImmDataMem, -3}
	c[9] = opInfo{ImmData, 0}
	c[10] = opInfo{ImmMemories, -3}
	c[11] = opInfo{ImmMemory, -3}
	c[12] = opInfo{ImmElemTab, -3}
	c[13] = opInfo{ImmElem, 0}
	c[14] = opInfo{ImmTables, -3}
	c[15] = opInfo{ImmTable, -1}
	c[16] = opInfo{ImmTable, 1}
	c[17] = opInfo{ImmTable, -3}
	return c
}

func vectorOps() (ops [0x100]opInfo) {
	v := ops[:]
	set(v, 0x00, 0x0a, ImmMem, 0)
	set(v, 0x0b, 0x0b, ImmMem, -2)
	set(v, 0x0c, 0x0c, ImmV128, 1)
	set(v, 0x0d, 0x0d, ImmV128, -1) // i8x16.shuffle
	set(v, 0x0e, 0x0e, ImmNone, -1)
	set(v, 0x0f, 0x14, ImmNone, 0) // splat
	for op := 0x15; op <= 0x22; op++ {
		height := int8(0) // extract_lane
		switch op {
		case 0x17, 0x1a, 0x1c, 0x1e, 0x20, 0x22:
			height = -1 // replace_lane
		}
		v[op] = opInfo{ImmLane, height}
	}
	set(v, 0x23, 0x4c, ImmNone, -1) // comparisons
	set(v, 0x4d, 0x4d, ImmNone, 0)  // v128.not
	set(v, 0x4e, 0x51, ImmNone, -1)
	set(v, 0x52, 0x52, ImmNone, -2) // bitselect
	set(v, 0x53, 0x53, ImmNone, 0)
	set(v, 0x54, 0x57, ImmMemLane, -1)
	set(v, 0x58, 0x5b, ImmMemLane, -2)
	set(v, 0x5c, 0x5d, ImmMem, 0)
	set(v, 0x5e, 0xff, ImmNone, -1)
	for _, op := range unaryVector {
		v[op].height = 0
	}
	for _, op := range unknownVector {
		v[op] = opInfo{}
	}
	return ops
}

// unaryVector are the instructions from 0x5e on with one operand.
var unaryVector = []int{
	0x5e, 0x5f, 0x60, 0x61, 0x62, 0x63, 0x64, 0x67, 0x68, 0x69, 0x6a, 0x74, 0x75, 0x7a, 0x7c, 0x7d, 0x7e, 0x7f,
	0x80, 0x81, 0x83, 0x84, 0x87, 0x88, 0x89, 0x8a, 0x94, 0xa0, 0xa1, 0xa3, 0xa4, 0xa7, 0xa8, 0xa9, 0xaa,
	0xc0, 0xc1, 0xc3, 0xc4, 0xc7, 0xc8, 0xc9, 0xca, 0xe0, 0xe1, 0xe3, 0xec, 0xed, 0xef, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
}

var unknownVector = []int{0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee}

func (op Op) info() opInfo {
	sub := int(op & 0xff)
	switch op >> 8 {
	case 0:
		return plain[sub]
	case 0xfc:
		if sub < len(prefix) {
			return prefix[sub]
		}
	case 0xfd:
		return vector[sub]
	}
	return opInfo{}
}

// Immediate returns the kind of op's immediate, ImmUnknown if it is no
// instruction of core version 2.
func (op Op) Immediate() Immediate { return op.info().imm }

// Height returns by how much op changes the height of the operand stack. For
// calls that is without parameters and results, for block, loop, else, end,
// br and return it is 0.
func (op Op) Height() int { return int(op.info().height) }

// Ops returns every instruction that is accepted.
func Ops() []Op {
	var ops []Op
	for _, t := range []struct {
		table []opInfo
		base  Op
	}{{plain[:], 0}, {prefix[:], 0xfc00}, {vector[:], 0xfd00}} {
		for i, info := range t.table {
			if info.imm != ImmUnknown {
				ops = append(ops, t.base|Op(i))
			}
		}
	}
	return ops
}

// Needs says which proposal an instruction belongs to that is not accepted.
func (op Op) Needs() string {
	switch {
	case op == 0x12 || op == 0x13:
		return "tail calls, which are not supported"
	case op >= 0x06 && op <= 0x0a || op == 0x18 || op == 0x19 || op == 0x1f:
		return "exception handling, which is not supported: build without exceptions (C++: -fno-exceptions)"
	case op == 0x14 || op == 0x15 || op == 0xd4 || op == 0xd5 || op == 0xd6:
		return "typed function references, which are not supported"
	case op == 0xd3 || op>>8 == 0xfb || op == 0xfb:
		return "garbage collection, which is not supported"
	case op>>8 == 0xfe || op == 0xfe:
		return "threads, which are not supported: build without atomics"
	case op>>8 == 0xfc:
		return "a proposal that is not supported"
	case op>>8 >= 0xfd:
		return "relaxed vectors or another proposal that is not supported"
	}
	return ""
}
