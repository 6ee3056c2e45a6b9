package meter

import (
	"strconv"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// Form is how a module is stopped.
type Form uint8

const (
	// Fast tests the flag; a stop calls the tick, and a tick that returns is
	// a trap: the instance is to be discarded.
	Fast Form = iota
	// Patient tests the flag and goes on when the tick returns. The tick
	// clears the flag: otherwise a loop calls it again before it goes on.
	// With a depth above the budget the tick is final here too.
	Patient
	// Counted takes from the fuel; below 0 it is as a stop of Fast. The flag
	// is not looked at.
	Counted
)

// String returns the form's name.
func (f Form) String() string {
	switch f {
	case Fast:
		return "fast"
	case Patient:
		return "patient"
	case Counted:
		return "counted"
	}
	return "form " + strconv.Itoa(int(f))
}

// Options say how a module is rewritten. The zero value is the fast form with
// the defaults.
type Options struct {
	Form      Form
	Stack     uint32 // budget of the call stack in bytes; default 1 MiB, at most 1 GiB
	MaxTable  uint32 // entries that a table may grow to; default 100,000
	MaxMemory uint32 // pages that a memory may grow to; default wasm.MostPages
	KeepData  bool   // active data segments stay in the module
	Lines     bool   // add a line table that makes the engine's stack traces carry code offsets, see OffsetMap
}

func (o Options) withDefaults() Options {
	if o.Stack == 0 {
		o.Stack = defaultStack
	}
	o.Stack = min(o.Stack, mostFrame)
	if o.MaxTable == 0 {
		o.MaxTable = defaultTable
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = wasm.MostPages
	}
	return o
}

// Segment is an active data segment.
type Segment struct {
	At    uint32 // address in memory 0
	From  uint32 // where Bytes begin in the original module
	Bytes []byte // a view of the original module
}

// Global is a mutable global of the guest's own.
type Global struct {
	Export string // name of the export
	Type   wasm.ValueType
}

// Result is a rewritten module and what the host must do for it.
type Result struct {
	Wasm    []byte
	Data    []Segment // to be copied into memory in this order before anything runs; they lie within its minimum
	Start   string    // export of the function to call after that, "" without one
	Globals []Global  // of number types
	// Whole says that the memory and Globals are all that a running instance
	// can change, so that an image of them is an image of the instance.
	Whole bool

	Checks      int // of all kinds, those of helper functions aside
	EntryChecks int // those at the entry of a function
	Budgeted    int // functions that take from the stack budget
}
