package meter

import "github.com/wasmill/wasmill/host/guest/wasm"

// helpers are the functions that are added, behind all others: a check of its
// own, and operations on memory that can take long.
type helpers struct {
	check, fill, copy bool
	inits             []uint32          // segments longer than a piece
	initAt            map[uint32]uint32 // their places in inits
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

// each calls f for each helper in the order of their indices.
func (h *helpers) each(f func(helper)) {
	if h.check {
		f(helper{kind: siteLong})
	}
	if h.fill {
		f(helper{kind: siteFill})
	}
	if h.copy {
		f(helper{kind: siteCopy})
	}
	for _, s := range h.inits {
		f(helper{kind: siteInit, segment: s})
	}
}

func (h *helpers) count() (n int) {
	h.each(func(helper) { n++ })
	return n
}

// index returns the place of a helper among them.
func (h *helpers) index(kind siteKind, segment uint32) uint32 {
	i := uint32(0)
	for _, before := range []struct {
		kind siteKind
		have bool
	}{{siteLong, h.check}, {siteFill, h.fill}, {siteCopy, h.copy}} {
		if before.kind == kind {
			return i
		}
		if before.have {
			i++
		}
	}
	return i + h.initAt[segment]
}

// helper is one of them, named by the sites that call it. But for the check,
// it has the operands of its instruction as parameters.
type helper struct {
	kind    siteKind
	segment uint32 // of memory.init
}

func (h helper) name() string {
	switch h.kind {
	case siteFill:
		return "memory.fill"
	case siteCopy:
		return "memory.copy"
	case siteInit:
		return "memory.init"
	}
	return "check"
}

// helperCall appends the call of a site's helper.
func (r *rewriter) helperCall(s *site) {
	r.op(wasm.OpCall, uint32(len(r.types))+1+r.helpers.index(s.kind, s.a))
}
