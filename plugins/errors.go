package plugins

import (
	"fmt"

	"github.com/wasmill/wasmill/abi/record"
)

// Class tells who has to act on an error.
type Class int

// The classes.
const (
	Internal    Class = iota // a bug of ours
	User                     // the job or its data is wrong
	Unreachable              // a system did not answer: exit code 3
	Exhausted                // no space, no memory, no handles
)

// Error is an error with a class and a hint whether to try again.
type Error struct {
	Class Class
	Retry bool
	Err   error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// FaultKind says why a part of a source could not be read.
type FaultKind string

// The kinds of faults.
const (
	Unreadable FaultKind = "unreadable" // permission, I/O error
	Vanished   FaultKind = "vanished"   // was listed and is gone
	Changed    FaultKind = "changed"    // is not what was listed: grown, shrunk, replaced
	Corrupt    FaultKind = "corrupt"    // the compression or container format is broken
)

// Fault is a part of a source that could not be read as it was found:
// on_error.source decides what follows. It is an outcome of the run, kept in
// the checkpoint and listed in the summary.
type Fault struct {
	Kind FaultKind
	Path string // as bytes
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %q: %v", f.Kind, f.Path, f.Err) }
func (f *Fault) Unwrap() error { return f.Err }

// RecordError is one record that a source cannot hand on. on_error.record
// decides what follows; reading goes on at Next.
type RecordError struct {
	Code     string          // "too_large", "bad_csv"
	Position record.Position // of the record
	Next     record.Position // behind it
	Value    []byte          // its first bytes, at most 1 KiB
	Err      error
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("%s at position %d: %v", e.Code, e.Position, e.Err)
}
func (e *RecordError) Unwrap() error { return e.Err }
