package meter

import (
	"fmt"
	"math"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// siteKind is what is done about an instruction.
type siteKind uint8

const (
	siteCall     siteKind = iota // a = function
	siteIndirect                 // a = type, as in rewriter.canon
	siteLoop                     // a = instructions of a pass, inner loops aside
	siteReturn                   // where it can be reached
	siteRefFunc                  // a = function
	siteFill                     // becomes a call of a helper
	siteCopy                     // becomes a call of a helper
	siteInit                     // a = segment; becomes a call of a helper
	siteLong                     // an operation of bounded length that wants a check
	siteEnd                      // of a loop that is entered again
	siteBranch                   // a = label; br or br_if out of the innermost loop around it
	siteBranches                 // a = labels, the default aside; br_table that may leave that loop
)

// site is an instruction that the rewriter touches. Everything between two
// sites is copied.
type site struct {
	at    uint32 // offset in the module
	a     uint32
	back  uint32 // of a siteLoop: offset of the last branch to it, 0 without one
	depth uint32 // blocks open behind it, the body being one
	kind  siteKind
	size  uint8 // bytes of the instruction, but for br_table
	check bool  // of a siteCall: a check is put before it
	after bool  // of a siteCall: a check is put behind it
	again bool  // of a siteLoop: it is left for a tick and entered again
}

// turn is the instruction that the check of a loop belongs to.
func (s *site) turn() int { return int(max(s.at, s.back)) }

// function is what is known of a function that the module defines.
type function struct {
	sites, end uint32 // its range of rewriter.sites
	instrs     uint32 // instructions, with what bulk operations add
	outside    uint32 // those outside of loops
	top        uint32 // those before a loop that every call comes to first; 0 = there may be none
	frame      uint32 // bytes of stack
	cost       uint32 // of the stack budget, 0 = it has none
	entry      bool   // a check at its entry
	returns    bool   // it has a siteReturn
	checks     bool   // some site has a check
	paths
}

// paths are bounds of the instructions that a call of a function runs between
// two checks, in instructions with those of callees. Those of a function that
// is not placed yet are 0: a back edge leads to it, so that it gets a check at
// its entry.
type paths struct {
	lead    uint32 // from the entry to the first check, or to the end
	through uint32 // from the entry to the end without a check; none = there always is one
	trail   uint32 // from the last check to the end, or from the entry
}

// none is a path that there is not.
const none = math.MaxUint32

// plus adds to a path and stops below none.
func plus(a, b uint32) uint32 {
	if a == none || b == none {
		return none
	}
	return min(add32(a, b), none-1)
}

// longer is the longer of two paths.
func longer(a, b uint32) uint32 {
	switch {
	case a == none:
		return b
	case b == none:
		return a
	}
	return max(a, b)
}

func fault(section string, at int, format string, args ...any) error {
	return &wasm.Error{Section: section, Offset: at, Text: fmt.Sprintf(format, args...)}
}
