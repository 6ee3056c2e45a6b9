package wasmtest

import "github.com/wasmill/wasmill/abi"

// countAddr is where the guest of Count has a key's count, a byte.
const countAddr = 256

// Count returns a guest that numbers the records of each key, from 1 to 9, in
// store 0: the third byte from the end of a value becomes the number. A record
// with that value traps when its number is in the store. Values have three
// bytes at least.
func Count(value string) []byte {
	var get uint32
	return StepWith(func(m *Module, _ Imports) {
		m.Data(valueAddr, []byte(value))
		get = m.Import(abi.ImportModule, "state_get", "iiiii", "i")
	}, func(im Imports) []byte {
		key := Code(Const(0), Get(RecordAt), Const(40), Add, Get(RecordAt), Load(24), Const(countAddr), Const(1))
		return Code(eachRecord(
			Const(countAddr), Const('0'), Store8(0),
			key, Call(get), Drop, // what is absent leaves the 0
			Const(countAddr), Const(0), Load8(countAddr), Const(1), Add, Store8(0),
			key, Call(im.StatePut), If, Unreachable, End,
			ifValue(value, Unreachable),
			Get(RecordAt), Get(keyLen), Add, Get(RecordAt), Load(28), Add, Const(0), Load8(countAddr), Store8(40-3),
			rewrite,
		), Get(Ptr), Get(Len), Call(im.Emit))
	})
}

// Grow returns a guest that passes records on and grows its memory by so many
// pages with each batch, as one that leaks.
func Grow(pages int32) []byte {
	return Step(func(im Imports) []byte {
		return Code(
			Const(pages), MemoryGrow, Const(-1), Eq, If, Unreachable, End,
			eachRecord(rewrite), Get(Ptr), Get(Len), Call(im.Emit),
		)
	})
}
