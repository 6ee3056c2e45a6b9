// Package abi holds the words of the border between host and guest: import
// and export names, operations, status codes, error numbers and limits.
// SPEC.md beside it is the norm; this package restates it for Go.
package abi

// Version is the major version of the interface. A module declares it by
// exporting a function named ExportMarker; a host that does not know the
// version refuses the module before it compiles it.
const (
	Version = 1
	// Minor counts additions that an older guest need not know.
	Minor = 1
)

// ImportModule is the module name of every host function.
const ImportModule = "wasmill_v1"

// Names of what a guest exports.
const (
	ExportMemory     = "memory"
	ExportMarker     = "wasmill_abi_1"   // () -> (), never called
	ExportAlloc      = "wasmill_alloc"   // (size i32) -> ptr i32
	ExportInit       = "wasmill_init"    // (ptr i32, len i32) -> status i32
	ExportProcess    = "wasmill_process" // (op i32, ptr i32, len i32) -> status i32
	ExportInitialize = "_initialize"     // optional, called once before init
	ExportStart      = "_start"          // of a program over fd 0 and 1, which exports none of the above but its memory
)

// Op is the first argument of wasmill_process.
type Op int32

// The operations. OpTimers is reserved: no host of minor version 1 sends it.
const (
	OpBatch   Op = 1 // a frame of records
	OpTimers  Op = 2 // a frame of timers that are due
	OpEnd     Op = 3 // a bounded input is over; the payload is the resume token, at first empty
	OpResumed Op = 4 // the instance was made from an image; the payload is 32 bytes of seed
)

// String returns the name of the operation as SPEC.md writes it.
func (o Op) String() string {
	switch o {
	case OpBatch:
		return "batch"
	case OpTimers:
		return "timers"
	case OpEnd:
		return "end"
	case OpResumed:
		return "resumed"
	}
	return "unknown"
}

// What wasmill_process returns. A negative value is an Errno for the whole batch.
const (
	StatusDone int32 = 0 // finished
	StatusMore int32 = 1 // call the same operation again with the resume token (end and timers only)
)

// CauseBatch as the cause of an emitted record says that the batch as a
// whole caused it.
const CauseBatch = ^uint32(0)

// Limits in bytes unless the job says otherwise under limits.
const (
	MaxRecord     = 1 << 20  // one record: key, value and headers
	MaxBatch      = 4 << 20  // one batch frame
	MaxEmit       = 16 << 20 // all frames that one call emits
	MaxKey        = 4 << 10  // a record's or a store's key
	MaxStateValue = 1 << 20  // a store's value
	MaxLogRate    = 64 << 10 // log bytes a second and instance
	MaxResume     = 64 << 10 // a resume token
)
