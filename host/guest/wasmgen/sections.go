package wasmgen

import (
	"strconv"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// vector appends a section of n entries.
func vector(b []byte, id byte, n int, entries []byte) []byte {
	return wasm.AppendSection(b, id, append(wasm.AppendU32(nil, uint32(n)), entries...))
}

func (g *gen) typeSection() (b []byte) {
	for _, sig := range g.types {
		in, out := split(sig)
		b = append(b, 0x60)
		for _, side := range []string{in, out} {
			b = wasm.AppendU32(b, uint32(len(side)))
			for i := range side {
				b = append(b, byte(valueTypes[side[i]]))
			}
		}
	}
	return b
}

// limits appends a minimum and perhaps a maximum.
func (g *gen) limits(b []byte, least, more uint32) []byte {
	if g.one(2) {
		return wasm.AppendU32(append(b, 0), least)
	}
	return wasm.AppendU32(wasm.AppendU32(append(b, 1), least), least+more)
}

func (g *gen) tables() (b []byte) {
	for _, t := range []wasm.ValueType{wasm.FuncRef, wasm.FuncRef, wasm.ExternRef} {
		b = g.limits(append(b, byte(t)), 8, 8)
	}
	return b
}

// globals are the number of calls, one global of each type, and one
// that is not mutable.
func (g *gen) globals() (b []byte) {
	b = append(b, byte(wasm.I32), 1, byte(wasm.OpI32Const), 0, byte(wasm.OpEnd))
	for i := range letters {
		t := letters[i]
		mutable := byte(0)
		if g.mutable(t) {
			mutable = 1
		}
		b = append(b, byte(valueTypes[t]), mutable)
		if t == 'r' && g.one(2) {
			b = append(b, byte(wasm.OpRefFunc), byte(g.n(len(g.funcs))))
		} else if t == 'r' || t == 'x' {
			b = append(b, byte(wasm.OpRefNull), byte(valueTypes[t]))
		} else {
			b = g.literal(b, t)
		}
		b = append(b, byte(wasm.OpEnd))
	}
	b = append(b, byte(wasm.I64), 0)
	return append(g.literal(b, 'l'), byte(wasm.OpEnd))
}

func (g *gen) exports(outers int) (n int, b []byte) {
	add := func(name string, k wasm.Kind, index int) {
		b = wasm.AppendU32(append(wasm.AppendName(b, name), byte(k)), uint32(index))
		n++
	}
	add("memory", wasm.Memory, 0)
	for i := range outers {
		add(outerName(i), wasm.Func, g.imported+len(g.inners)+i)
	}
	for i := range firstGlobal + len(letters) {
		if !g.one(6) {
			add("g"+strconv.Itoa(i), wasm.Global, i)
		}
	}
	if g.one(4) {
		add("calls", wasm.Table, tableCalls)
	}
	return n, b
}

// elements are: the table of calls, a passive segment, the declaration of
// all functions, and some of the table of functions as expressions.
func (g *gen) elements() (b []byte) {
	b = append(b, 0, byte(wasm.OpI32Const), 0, byte(wasm.OpEnd), byte(len(g.inners)))
	for i := range g.inners {
		b = append(b, byte(g.imported+i))
	}
	b = append(b, 1, 0, 8)
	for range 8 {
		b = append(b, byte(g.n(g.imported+len(g.funcs))))
	}
	b = append(b, 3, 0, byte(g.imported+len(g.funcs)))
	for _, f := range g.rnd.Perm(g.imported + len(g.funcs)) {
		b = append(b, byte(f))
	}
	b = append(b, 6, tableFuncs, byte(wasm.OpI32Const), byte(g.n(4)), byte(wasm.OpEnd), byte(wasm.FuncRef), 3)
	for range 3 {
		if g.one(2) {
			b = append(b, byte(wasm.OpRefNull), byte(wasm.FuncRef), byte(wasm.OpEnd))
		} else {
			b = append(b, byte(wasm.OpRefFunc), byte(g.n(len(g.funcs))), byte(wasm.OpEnd))
		}
	}
	return b
}

// names appends the names of some functions.
func (g *gen) names(b []byte) []byte {
	if g.one(2) {
		return b
	}
	var sub []byte
	n := 0
	for i := range g.imported + len(g.funcs) {
		if !g.one(3) {
			sub = wasm.AppendName(wasm.AppendU32(sub, uint32(i)), "func "+strconv.Itoa(i))
			n++
		}
	}
	sub = append(wasm.AppendU32(nil, uint32(n)), sub...)
	body := append(wasm.AppendName(nil, "name"), 1)
	body = append(wasm.AppendU32(body, uint32(len(sub))), sub...)
	return wasm.AppendSection(b, wasm.SecCustom, body)
}

// custom appends a custom section now and then.
func (g *gen) custom(b []byte, name string) []byte {
	if !g.one(4) {
		return b
	}
	return wasm.AppendSection(b, wasm.SecCustom, append(wasm.AppendName(nil, name), "anything"...))
}
