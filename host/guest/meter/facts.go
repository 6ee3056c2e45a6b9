package meter

import (
	"fmt"

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
)

// site is an instruction that the rewriter touches. Everything between two
// sites is copied.
type site struct {
	at    uint32 // offset in the module
	a     uint32
	depth uint32 // blocks open behind it, the body being one
	kind  siteKind
	size  uint8 // bytes of the instruction
	check bool  // of a siteCall: a check is put before it
}

// function is what is known of a function that the module defines.
type function struct {
	sites, end uint32 // its range of rewriter.sites
	instrs     uint32 // instructions, with what bulk operations add
	outside    uint32 // those outside of loops
	frame      uint32 // bytes of stack
	weight     uint32 // most instructions on a path between two checks, callees included
	cost       uint32 // of the stack budget, 0 = it has none
	entry      bool   // a check at its entry
	returns    bool   // it has a siteReturn
	checks     bool   // some site has a check
}

func fault(section string, at int, format string, args ...any) error {
	return &wasm.Error{Section: section, Offset: at, Text: fmt.Sprintf(format, args...)}
}
