package wasmtest

import (
	"fmt"

	"github.com/wasmill/wasmill/abi"
)

// Greedy is a guest that takes all it can get.
type Greedy struct {
	Name string
	Wasm []byte
}

// Greedies returns guests that pass records on, but for those with that value:
// at them each goes wild in a way of its own. None of them comes to an end of
// it by itself within hours, except by a trap.
func Greedies(value string) []Greedy {
	on := func(name string, change func(*Module, Imports), then func(Imports) []byte) Greedy {
		return Greedy{name, OnValue(value, change, then)}
	}
	forever := func(body ...[]byte) []byte { return Code(Loop, join(body), Br(0), End) }
	var f, now, get uint32 // functions that change adds
	return []Greedy{
		on("loop", nil, func(Imports) []byte { return forever() }),
		on("recursion", func(m *Module, _ Imports) {
			f = m.Func("recurse", "i", "i", "", Get(0), Const(1), Add, Call(m.next()), Const(1), Add)
		}, func(Imports) []byte { return Code(Const(0), Call(f), Drop) }),
		on("indirect recursion", func(m *Module, _ Imports) {
			f = m.Func("even", "i", "i", "", Get(0), Const(1), Add, Call(m.next()+1), Const(1), Add)
			m.Func("odd", "i", "i", "", Get(0), Const(1), Add, Call(f), Const(1), Add)
		}, func(Imports) []byte { return Code(Const(0), Call(f), Drop) }),
		on("call tree", func(m *Module, _ Imports) { f = m.callTree() }, func(Imports) []byte { return Call(f) }),
		on("bulk memory", func(m *Module, _ Imports) { m.Memory(FillPages); f = m.fills() }, func(Imports) []byte { return Call(f) }),
		on("host calls", func(m *Module, _ Imports) {
			now = m.Import(abi.ImportModule, "now", "", "l")
			get = m.Import(abi.ImportModule, "state_get", "iiiii", "i")
		}, func(Imports) []byte {
			return forever(Call(now), Drop, Const(0), Const(valueAddr), Const(1), Const(textAddr), Const(1), Call(get), Drop)
		}),
		on("emits", nil, func(im Imports) []byte {
			return Code(eachRecordAgain, forever(Get(Ptr), Get(Len), Call(im.Emit), Drop))
		}),
		on("log lines", nil, func(im Imports) []byte {
			return forever(Const(1), Const(textAddr), Const(8<<10), Call(im.Log), Drop)
		}),
		on("allocation", nil, func(Imports) []byte {
			return forever( // a page more, in which it writes to each 4 KiB
				Const(1), MemoryGrow, Set(position),
				Get(position), Const(-1), Eq, If, Unreachable, End,
				Get(position), Const(16), Shl, Set(position),
				touchPage(),
			)
		}),
	}
}

// FillPages is what the greedy guest of bulk memory begins with.
const FillPages = 1040

// fills adds a function without a loop that fills 64 MiB, 2,000 times.
func (m *Module) fills() uint32 {
	var code []byte
	for i := range int32(2000) {
		code = append(code, Code(Const(1<<20), Const(i&0xff), Const(64<<20), Fill)...)
	}
	return m.Func("fills", "", "", "", code)
}

// callTree adds functions without loops of which each calls the one before
// twice: 2^33 calls.
func (m *Module) callTree() uint32 {
	f := m.Func("leaf", "", "", "", Block, End)
	for i := range 33 {
		f = m.Func(fmt.Sprint("tree", i), "", "", "", Call(f), Call(f))
	}
	return f
}

// next is the index of the function that is added next.
func (m *Module) next() uint32 { return uint32(len(m.names)) }

// eachRecordAgain makes all records of the batch at Ptr ones that may be
// emitted.
var eachRecordAgain = Code(Const(0), Set(index), eachRecord(rewrite))

// touchPage writes to each 4 KiB of the page at position.
func touchPage() (code []byte) {
	for at := uint32(0); at < 64<<10; at += 4 << 10 {
		code = append(code, Code(Get(position), Const(1), Store8(at))...)
	}
	return code
}

// Spin counts down from n, at a few instructions each: time that a record
// rightly takes. It is code for OnValue.
func Spin(n int32) []byte {
	return Code(
		Const(n), Set(position),
		Loop, Get(position), Const(1), Sub, Set(position), Get(position), BrIf(0), End,
	)
}
