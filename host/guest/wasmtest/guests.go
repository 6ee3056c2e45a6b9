package wasmtest

import "github.com/wasmill/wasmill/abi"

// Where the guests of this package keep things in memory.
const (
	valueAddr  = 64   // the value that a guest looks for
	textAddr   = 512  // what a guest says
	bufferAddr = 4096 // where wasmill_alloc puts every payload
)

// Parameters and locals of wasmill_process and of the bodies that Step takes.
const (
	Op, Ptr, Len            byte = 0, 1, 2
	RecordAt, index, count  byte = 3, 4, 5
	found, keyLen, position byte = 6, 7, 8
)

// Imports are the indices of the host functions that Step imports.
type Imports struct{ Emit, Fail, Log, StatePut uint32 }

// Step returns a module that can be run as a step: memory, marker, an
// allocator that hands out one growing buffer, an init that does nothing,
// and wasmill_process with the given body, which has six i32 locals.
func Step(body func(Imports) []byte) []byte { return StepWith(nil, body) }

// StepWith is Step with a hand in the module before it is assembled. Exports
// that change adds take the place of Step's own.
func StepWith(change func(*Module, Imports), body func(Imports) []byte) []byte {
	m := New()
	im := Imports{
		Emit:     m.Import(abi.ImportModule, "emit", "ii", "i"),
		Fail:     m.Import(abi.ImportModule, "fail", "iiii", "i"),
		Log:      m.Import(abi.ImportModule, "log", "iii", "i"),
		StatePut: m.Import(abi.ImportModule, "state_put", "iiiii", "i"),
	}
	if change != nil {
		change(m, im)
	}
	if m.memory == nil {
		m.Memory(1)
	}
	if !m.exported(abi.ExportMarker) {
		m.ExportFunc(abi.ExportMarker, "", "", "")
	}
	if !m.exported(abi.ExportAlloc) {
		m.ExportFunc(abi.ExportAlloc, "i", "i", "i", alloc())
	}
	if !m.exported(abi.ExportInit) {
		m.ExportFunc(abi.ExportInit, "ii", "i", "", Const(0))
	}
	if !m.exported(abi.ExportProcess) {
		m.ExportFunc(abi.ExportProcess, "iii", "i", "iiiiii", unknown(), body(im))
	}
	return m.Bytes()
}

// unknown refuses the operations that guests of this package do not know.
func unknown() []byte {
	return Code(Get(Op), Const(int32(abi.OpResumed)), Eq, If, Const(abi.ENOSYS.Status()), Return, End)
}

func (m *Module) exported(name string) bool {
	for _, e := range m.exports {
		if string(e[1:1+e[0]]) == name {
			return true
		}
	}
	return false
}

// alloc grows the memory until the buffer holds the bytes asked for.
func alloc() []byte {
	const size, pages = 0, 1
	return Code(
		Get(size), Const(bufferAddr+65535), Add, Const(16), ShrU, Set(pages),
		Block,
		Get(pages), MemorySize, GtU, Eqz, BrIf(0),
		Get(pages), MemorySize, Sub, MemoryGrow, Const(-1), Ne, BrIf(0),
		Const(0), Return,
		End,
		Const(bufferAddr),
	)
}

// Code joins instructions.
func Code(parts ...[]byte) []byte { return join(parts) }

// eachRecord runs body for every record of the batch frame at Ptr, with the
// record's address in RecordAt and its number in index. Other operations
// return 0 before it.
func eachRecord(body ...[]byte) []byte {
	return Code(
		Get(Op), Const(int32(abi.OpBatch)), Ne, If, Const(0), Return, End,
		Get(Ptr), Load(8), Set(count),
		Get(Ptr), Get(Ptr), Load(20), Const(7), Add, Const(-8), And, Add, Const(32), Add, Set(RecordAt),
		Block, Loop,
		Get(index), Get(count), GeU, BrIf(1),
		join(body),
		Get(RecordAt), Get(RecordAt), Load(36), Add, Set(RecordAt),
		Get(index), Const(1), Add, Set(index),
		Br(0),
		End, End,
	)
}

// rewrite makes the record at RecordAt one that the guest emits: position 0,
// its own index as cause, output 0.
var rewrite = Code(
	Get(RecordAt), Const64(0), Store64(8),
	Get(RecordAt), Get(index), Store(16),
	Get(RecordAt), Const(0), Store16(20),
)

// PassThrough emits every batch as it came, in one frame.
func PassThrough() []byte {
	return Step(func(im Imports) []byte {
		return Code(eachRecord(rewrite), Get(Ptr), Get(Len), Call(im.Emit))
	})
}

// TrapOn is PassThrough but for a trap on a record with that value.
func TrapOn(value string) []byte {
	return OnValue(value, nil, func(Imports) []byte { return Unreachable })
}

// FailOn is PassThrough but rejects records with that value, with code 7.
func FailOn(value, message string) []byte {
	return StepWith(func(m *Module, _ Imports) {
		m.Data(valueAddr, []byte(value))
		m.Data(textAddr, []byte(message))
	}, func(im Imports) []byte {
		return Code(
			eachRecord(ifValue(value, Get(index), Const(7), Const(textAddr), Const(int32(len(message))), Call(im.Fail), Drop), rewrite),
			Get(Ptr), Get(Len), Call(im.Emit),
		)
	})
}

// OnValue is PassThrough but for what then does on each record with that
// value, whose address is in local RecordAt. change is as in StepWith.
func OnValue(value string, change func(*Module, Imports), then func(Imports) []byte) []byte {
	return StepWith(func(m *Module, im Imports) {
		m.Data(valueAddr, []byte(value))
		if change != nil {
			change(m, im)
		}
	}, func(im Imports) []byte {
		return Code(eachRecord(ifValue(value, then(im)), rewrite), Get(Ptr), Get(Len), Call(im.Emit))
	})
}

// ifValue runs then if the value of the record at RecordAt is value.
func ifValue(value string, then ...[]byte) []byte {
	n := int32(len(value))
	return Code(
		Get(RecordAt), Load(24), Set(keyLen), // all-ones is a null key
		Get(keyLen), Const(-1), Eq, If, Const(0), Set(keyLen), End,
		Const(0), Set(found),
		Block,
		Get(RecordAt), Load(28), Const(n), Ne, BrIf(0),
		Const(0), Set(position),
		Loop,
		Get(position), Const(n), Ne, If,
		Get(RecordAt), Get(keyLen), Add, Get(position), Add, Load8(40),
		Get(position), Load8(valueAddr), Ne, BrIf(2),
		Get(position), Const(1), Add, Set(position),
		Br(1),
		End, End,
		Const(1), Set(found),
		End,
		Get(found), If, join(then), End,
	)
}
