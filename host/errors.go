package host

import (
	"errors"
	"fmt"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/state"
)

// ErrPartial says that parts of a source could not be read and the policy on
// them is fail: everything else is processed and committed.
var ErrPartial = errors.New("parts of the input were not read")

// ErrLocked says that another run has the state directory.
var ErrLocked = state.ErrLocked

// OccupiedError says that a job without state has a sink at whose place lies
// what such a sink writes: running would remove it.
type OccupiedError struct {
	Sink, What string
}

func (e *OccupiedError) Error() string {
	return fmt.Sprintf("sink %s: %s is there already, and this job has no state that knows of it: it is another job's, or its state is gone; move it away, give the sink another path, or run with --fresh, which removes it", e.Sink, e.What)
}

// FileError says that a job file cannot be read at all; what is wrong in one
// that can is a jobspec.Faults.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// ModuleError says that the module of a step cannot be built or compiled.
type ModuleError struct {
	File  string // the job file as given
	Place jobspec.Place
	Step  string
	Err   error
}

func (e *ModuleError) Error() string {
	return fmt.Sprintf("%s:%d:%d: step %s: %v", e.File, e.Place.Line, e.Place.Column, e.Step, e.Err)
}

func (e *ModuleError) Unwrap() error { return e.Err }
