package wasmtest

import (
	"encoding/binary"

	"github.com/wasmill/wasmill/abi"
)

// Malformed emits the batch after overwriting the u32 at offset at of the
// frame: 0 is the magic, 8 the count, 12 the size.
func Malformed(at uint32, value int32) []byte {
	return Step(func(im Imports) []byte {
		return Code(eachRecord(rewrite), Get(Ptr), Const(value), Store(at), Get(Ptr), Get(Len), Call(im.Emit), Drop, Const(0))
	})
}

// MalformedRecord emits the batch after setting the size of its first record.
func MalformedRecord(size int32) []byte {
	return Step(func(im Imports) []byte {
		return Code(
			eachRecord(rewrite),
			Get(Ptr), Get(Ptr), Load(20), Const(7), Add, Const(-8), And, Add, Const(32), Add, Const(size), Store(36),
			Get(Ptr), Get(Len), Call(im.Emit), Drop, Const(0),
		)
	})
}

// Multiply emits every batch n times.
func Multiply(n int32) []byte {
	return Step(func(im Imports) []byte {
		return Code(
			eachRecord(rewrite), Const(0), Set(position),
			Loop, Get(Ptr), Get(Len), Call(im.Emit), Drop,
			Get(position), Const(1), Add, Set(position), Get(position), Const(n), Ne, BrIf(0), End,
			Const(0),
		)
	})
}

// DeleteForever deletes one key of state after another until that is refused,
// then traps.
func DeleteForever() []byte {
	var del uint32
	return StepWith(func(m *Module, _ Imports) {
		del = m.Import(abi.ImportModule, "state_delete", "iii", "i")
	}, func(Imports) []byte {
		return Code(
			Get(Op), Const(int32(abi.OpBatch)), Ne, If, Const(0), Return, End,
			Loop, Const(valueAddr), Get(position), Const(1), Add, Set(position), Get(position), Store(0),
			Const(0), Const(valueAddr), Const(1024), Call(del), Eqz, BrIf(0), End, Unreachable,
		)
	})
}

// GrowForever grows its memory by a page until that fails, then traps.
func GrowForever() []byte {
	return Step(func(Imports) []byte {
		return Code(Loop, Const(1), MemoryGrow, Const(-1), Ne, BrIf(0), End, Unreachable)
	})
}

// Recurse calls itself without end.
func Recurse() []byte {
	var self uint32
	return StepWith(func(m *Module, _ Imports) {
		self = uint32(len(m.names))
		m.Func("recurse", "i", "i", "", Get(0), Const(1), Add, Call(self))
	}, func(Imports) []byte { return Code(Const(0), Call(self)) })
}

// TrapInInit traps in wasmill_init after a log line.
func TrapInInit(line string) []byte {
	return StepWith(func(m *Module, im Imports) {
		m.Data(textAddr, []byte(line))
		m.ExportFunc(abi.ExportInit, "ii", "i", "", Const(3), Const(textAddr), Const(int32(len(line))), Call(im.Log), Drop, Unreachable)
	}, done)
}

// TrapSaying traps in wasmill_process after a log line at level.
func TrapSaying(level int32, line string) []byte {
	return StepWith(func(m *Module, _ Imports) { m.Data(textAddr, []byte(line)) }, func(im Imports) []byte {
		return Code(Const(level), Const(textAddr), Const(int32(len(line))), Call(im.Log), Drop, Unreachable)
	})
}

// Returning returns status from wasmill_process.
func Returning(status int32) []byte {
	return Step(func(Imports) []byte { return Const(status) })
}

// InitReturning returns status from wasmill_init.
func InitReturning(status int32) []byte {
	return StepWith(func(m *Module, _ Imports) {
		m.ExportFunc(abi.ExportInit, "ii", "i", "", Const(status))
	}, done)
}

// AllocReturning returns an address from wasmill_alloc, whatever is asked
// for more than initBytes; up to that it behaves.
func AllocReturning(ptr, initBytes int32) []byte {
	return StepWith(func(m *Module, _ Imports) {
		m.ExportFunc(abi.ExportAlloc, "i", "i", "",
			Get(0), Const(initBytes), GtU, If, Const(ptr), Return, End, Const(bufferAddr))
	}, done)
}

// Exit calls proc_exit from wasmill_process.
func Exit(code int32) []byte {
	var exit uint32
	return StepWith(func(m *Module, _ Imports) {
		exit = m.Import("wasi_snapshot_preview1", "proc_exit", "i", "")
	}, func(Imports) []byte { return Code(Const(code), Call(exit), Const(0)) })
}

// Probe calls one import with the given arguments, int32 or int64, and tells
// the result, if it is an i32, through fail's code for record 0. data is put
// at address 1024.
func Probe(name, params, results string, data []byte, args ...any) []byte {
	var f uint32
	return StepWith(func(m *Module, _ Imports) {
		f = m.Import(abi.ImportModule, name, params, results)
		m.Data(ProbeData, data)
	}, func(im Imports) []byte {
		call := Call(f)
		var push []byte
		for _, a := range args {
			switch v := a.(type) {
			case int32:
				push = append(push, Const(v)...)
			case int64:
				push = append(push, Const64(v)...)
			}
		}
		if results == "l" {
			return Code(push, call, Drop, Const(0))
		}
		return Code(push, call, Set(found), Const(0), Get(found), Const(ProbeData), Const(ProbeShow), Call(im.Fail), Drop, Const(0))
	})
}

// Where Probe keeps its data, and how much of it the message of its fail shows.
const (
	ProbeData = 1024
	ProbeShow = 64
)

// WriteOut writes text to file descriptor fd through WASI, then returns 0.
func WriteOut(fd int32, text string) []byte {
	var write uint32
	return StepWith(func(m *Module, _ Imports) {
		write = m.Import("wasi_snapshot_preview1", "fd_write", "iiii", "i")
		iov := binary.LittleEndian.AppendUint32(nil, textAddr)
		m.Data(32, binary.LittleEndian.AppendUint32(iov, uint32(len(text))))
		m.Data(textAddr, []byte(text))
	}, func(Imports) []byte {
		return Code(Const(fd), Const(32), Const(1), Const(48), Call(write), Drop, Const(0))
	})
}

func done(Imports) []byte { return Const(0) }
