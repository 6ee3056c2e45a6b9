package wasmgen

import (
	"strings"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// body is a function under construction. What is emitted is valid at every
// point: statements leave the operand stack as it was, values add one.
type body struct {
	*gen
	sig      string
	code     []byte
	locals   string // types, parameters first
	labels   []label
	left     int  // instructions until only leaves are emitted
	depth    bool // parameter 0 bounds recursion
	straight bool // neither branches nor calls are emitted
}

// label is a place to branch to.
type label struct {
	types   string // of the values that a branch takes along
	counter uint32 // of a loop: the local that counts its trips
	loop    bool
}

func (b *body) emit(o wasm.Op, immediate ...byte) {
	b.code = append(wasm.AppendOp(b.code, o), immediate...)
	b.left--
}

func (b *body) u32(n uint32) { b.code = wasm.AppendU32(b.code, n) }

// local returns a local of type t that code may change: never a depth or a
// counter.
func (b *body) local(t byte) uint32 {
	from := b.n(len(b.locals) + 1)
	for i := range b.locals {
		at := (from + i) % len(b.locals)
		if b.locals[at] == t && !(at == 0 && b.depth) {
			return uint32(at)
		}
	}
	return b.addLocal(t)
}

func (b *body) addLocal(t byte) uint32 {
	b.locals += string(t)
	return uint32(len(b.locals) - 1)
}

// mutable reports whether globals of type t can be set.
func (g *gen) mutable(t byte) bool { return !g.plain || t != 'v' && t != 'r' && t != 'x' }

func (b *body) global(t byte) uint32 {
	at := strings.IndexByte(letters, t)
	return uint32(firstGlobal + at)
}

// sink takes values off the stack.
func (b *body) sink(types string) {
	for i := len(types) - 1; i >= 0; i-- {
		switch n := b.n(8); {
		case n == 0:
			b.emit(wasm.OpDrop)
		case n <= 2 && b.mutable(types[i]):
			b.emit(wasm.OpGlobalSet)
			b.u32(b.global(types[i]))
		default:
			b.emit(wasm.OpLocalSet)
			b.u32(b.local(types[i]))
		}
	}
}

// drill emits instructions one behind the other, so that all of them run if
// the function returns.
func (b *body) drill(n int) {
	b.straight = true
	for range n {
		o := b.all[b.n(len(b.all))]
		if (o.Op == wasm.OpDataDrop || o.Op == wasm.OpElemDrop) && !b.one(4) {
			continue // what is dropped cannot be used
		}
		b.apply(o, 1)
		if o.out != 0 {
			b.sink(string(o.out))
		}
	}
	b.straight = false
}

// bulk emits operations on more than a megabyte of memory, some of which
// overlap and some of which are out of bounds.
func (b *body) bulk() {
	place := func(out bool) {
		at := b.n(0x8000)
		if out {
			at = largePages<<16 - largeBytes/2
		}
		b.number(int32(at))
	}
	ops := []wasm.Op{wasm.OpMemoryInit, wasm.OpMemoryCopy, wasm.OpMemoryFill, wasm.OpMemoryCopy, wasm.OpMemoryCopy}
	for i, o := range ops[:1+b.n(len(ops))] {
		place(i > 0 && b.one(5))
		n := int32(largeBytes - b.n(0x8000))
		if o == wasm.OpMemoryInit {
			b.number(int32(largeBytes) - n)
		} else {
			place(b.one(20))
		}
		b.number(n)
		b.emit(o)
		switch o {
		case wasm.OpMemoryInit:
			b.u32(uint32(b.large))
			b.code = append(b.code, 0)
		case wasm.OpMemoryCopy:
			b.code = append(b.code, 0, 0)
		default:
			b.code = append(b.code, 0)
		}
	}
}

// keep stores what the locals have, so that it is seen from outside.
func (b *body) keep() {
	stores := map[byte]wasm.Op{'i': 0x36, 'l': 0x37, 'f': 0x38, 'd': 0x39, 'v': 0xfd0b}
	for i := range b.locals {
		if o, ok := stores[b.locals[i]]; ok {
			b.number(int32(b.n(mask)))
			b.emit(wasm.OpLocalGet)
			b.u32(uint32(i))
			b.emit(o, 0, 0)
		}
	}
}

// guard returns at once if the depth or the number of calls is used up.
func (b *body) guard() {
	_, out := split(b.sig)
	b.emit(wasm.OpGlobalGet, globalCalls)
	b.number(1)
	b.emit(wasm.OpI32Sub)
	b.emit(wasm.OpGlobalSet, globalCalls)
	b.emit(wasm.OpGlobalGet, globalCalls)
	b.number(0)
	b.emit(0x4c) // i32.le_s
	b.emit(wasm.OpLocalGet, 0)
	b.number(0)
	b.emit(0x4c)
	b.emit(0x72) // i32.or
	b.emit(wasm.OpIf, 0x40)
	for i := range out {
		b.constant(out[i])
	}
	b.emit(wasm.OpReturn)
	b.emit(wasm.OpEnd)
}

// inner makes a function that others call: its first parameter is how much
// deeper calls may go.
func (g *gen) inner(sig string) []byte {
	b := g.newBody(sig)
	b.depth = true
	b.guard()
	b.statements(2+b.n(5), 3)
	b.keep()
	return b.finish()
}

// outer makes a function that the module exports.
func (g *gen) outer(sig string) []byte {
	b := g.newBody(sig)
	b.number(int32(50 + b.n(100)))
	b.emit(wasm.OpGlobalSet, globalCalls)
	b.drill(12)
	if b.large >= 0 {
		b.bulk()
	}
	b.statements(3+b.n(6), 3)
	b.keep()
	return b.finish()
}

func (g *gen) newBody(sig string) *body {
	in, out := split(sig)
	b := &body{gen: g, sig: sig, locals: in, left: 220, labels: []label{{types: out}}}
	for range g.n(6) {
		b.addLocal(letters[g.n(len(letters))])
	}
	return b
}

// finish returns the body as the code section has it.
func (b *body) finish() []byte {
	_, out := split(b.sig)
	b.values(out, 2)
	b.emit(wasm.OpEnd)
	in, _ := split(b.sig)
	decl := wasm.AppendU32(nil, uint32(len(b.locals)-len(in)))
	for i := len(in); i < len(b.locals); i++ {
		decl = append(decl, 1, byte(valueTypes[b.locals[i]]))
	}
	code := append(decl, b.code...)
	return append(wasm.AppendU32(nil, uint32(len(code))), code...)
}
