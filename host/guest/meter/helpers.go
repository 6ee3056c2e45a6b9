package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// helpers are the functions that are added, behind all others, for operations
// on memory that can take long.
type helpers struct {
	fill, copy bool
	inits      []uint32          // segments longer than a piece
	initAt     map[uint32]uint32 // their places in inits
}

func (h *helpers) needInit(segment uint32) {
	if _, ok := h.initAt[segment]; ok {
		return
	}
	if h.initAt == nil {
		h.initAt = make(map[uint32]uint32)
	}
	h.initAt[segment] = uint32(len(h.inits))
	h.inits = append(h.inits, segment)
}

func (h *helpers) count() int {
	n := len(h.inits)
	for _, have := range []bool{h.fill, h.copy} {
		if have {
			n++
		}
	}
	return n
}

// index returns the function's index among the helpers.
func (h *helpers) index(kind siteKind, segment uint32) uint32 {
	i := uint32(0)
	if kind == siteFill {
		return i
	}
	if h.fill {
		i++
	}
	if kind == siteCopy {
		return i
	}
	if h.copy {
		i++
	}
	return i + h.initAt[segment]
}

// each calls f for each helper in the order of their indices.
func (h *helpers) each(f func(helper)) {
	if h.fill {
		f(helper{op: wasm.OpMemoryFill})
	}
	if h.copy {
		f(helper{op: wasm.OpMemoryCopy})
	}
	for _, s := range h.inits {
		f(helper{op: wasm.OpMemoryInit, segment: s})
	}
}

// helper is one of them; it has the operands of its instruction as parameters.
type helper struct {
	op      wasm.Op
	segment uint32 // of memory.init
}

func (h helper) name() string {
	switch h.op {
	case wasm.OpMemoryFill:
		return "memory.fill"
	case wasm.OpMemoryCopy:
		return "memory.copy"
	}
	return "memory.init"
}

// helperCall appends the call that takes the place of an instruction.
func (r *rewriter) helperCall(s *site) {
	r.op(wasm.OpCall, uint32(len(r.types))+1+r.helpers.index(s.kind, s.a))
}
