package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// added are the types that a module lacks, behind its own.
type added struct {
	types  []wasm.FuncType
	index  map[string]uint32
	blocks []uint32 // of each type: one without parameters and with its results, plus 1
	tick   uint32   // (i32) -> ()
	none   uint32   // () -> ()
	bulk   uint32   // (i32, i32, i32) -> ()
}

var three = []wasm.ValueType{wasm.I32, wasm.I32, wasm.I32}

func (a *added) init(r *rewriter) {
	a.index = make(map[string]uint32, len(r.m.Types))
	for i := range r.m.Types {
		if r.canon[i] == uint32(i) {
			a.index[string(appendType(nil, &r.m.Types[i]))] = uint32(i)
		}
	}
	a.blocks = make([]uint32, len(r.m.Types))
	a.tick = a.add(r, wasm.FuncType{Params: three[:1]})
	if r.helpers.check {
		a.none = a.add(r, wasm.FuncType{})
	}
	if r.helpers.fill || r.helpers.copy || len(r.helpers.inits) > 0 {
		a.bulk = a.add(r, wasm.FuncType{Params: three})
	}
	for i := range r.funcs {
		if t := r.m.Funcs[i]; r.wrapped(&r.funcs[i]) {
			a.block(r, t)
		}
	}
}

func (a *added) add(r *rewriter, t wasm.FuncType) uint32 {
	key := appendType(nil, &t)
	i, ok := a.index[string(key)]
	if !ok {
		i = uint32(len(r.m.Types) + len(a.types))
		a.types = append(a.types, t)
		a.index[string(key)] = i
	}
	return i
}

// block returns the type of a block that has the results of type t, as Instr
// has it.
func (a *added) block(r *rewriter, t uint32) int32 {
	t = r.canon[t]
	results := r.m.Types[t].Results
	switch len(results) {
	case 0:
		return wasm.NoResult
	case 1:
		return int32(results[0]) - 0x80
	}
	if a.blocks[t] == 0 {
		a.blocks[t] = a.add(r, wasm.FuncType{Results: results}) + 1
	}
	return int32(a.blocks[t] - 1)
}

func appendType(b []byte, t *wasm.FuncType) []byte {
	b = append(b, 0x60)
	for _, v := range [][]wasm.ValueType{t.Params, t.Results} {
		b = wasm.AppendU32(b, uint32(len(v)))
		for _, v := range v {
			b = append(b, byte(v))
		}
	}
	return b
}
