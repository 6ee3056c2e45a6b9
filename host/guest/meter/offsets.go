package meter

import (
	"sort"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// piece is a range of the rewritten code and where it comes from.
type piece struct {
	at       int  // offset in the rewritten code section's contents
	original int  // offset in the original module, -1 = the host's own
	verbatim bool // the bytes behind are the original's
}

// Map maps offsets in rewritten code to those in the original. Both count
// from the contents of the code section on, as debug data and the engine's
// stack traces do.
type Map struct {
	pieces []piece
	code   int // offset of the original's code section
	end    int
}

// OffsetMap returns the map for what Rewrite makes of m with the same options.
// It does the work again, so that nothing needs to be kept until somebody asks.
func OffsetMap(m *wasm.Module, o Options) (*Map, error) {
	r, err := newRewriter(m, o)
	if err != nil {
		return nil, err
	}
	r.recording = true
	if err := r.write(); err != nil {
		return nil, err
	}
	mapped := &Map{pieces: r.pieces, end: r.codeSize}
	for _, s := range m.Sections {
		if s.ID == wasm.SecCode {
			mapped.code = s.Start
		}
	}
	return mapped, nil
}

// Offset returns where an instruction of the rewritten code comes from: of a
// check, the instruction that it belongs to, which of a loop is the last branch
// back to its beginning; of what stands at the ends of a
// function, the function's first instruction. It returns false for the host's
// own functions and for what is no offset of an instruction.
func (m *Map) Offset(rewritten int) (original int, ok bool) {
	i := sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].at > rewritten }) - 1
	if i < 0 || rewritten >= m.end || m.pieces[i].original < 0 {
		return 0, false
	}
	p := m.pieces[i]
	original = p.original - m.code
	if p.verbatim {
		original += rewritten - p.at
	}
	return original, true
}

// from notes where what is appended next comes from.
func (r *rewriter) from(original int, verbatim bool) {
	if r.recording {
		r.pieces = append(r.pieces, piece{len(r.out) - r.codeAt, original, verbatim})
	}
}

// shift corrects the pieces from first on by what the code was moved.
func (r *rewriter) shift(first, by int) {
	for i := range r.pieces[first:] {
		r.pieces[first+i].at += by
	}
}
