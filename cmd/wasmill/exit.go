package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/fixture"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/tenant"
	"github.com/wasmill/wasmill/plugins"
)

// The exit codes. docs/running.md explains them.
const (
	exitDone        = 0
	exitFailed      = 1   // the job failed, or parts of its input were not read
	exitUsage       = 2   // wrong use or a bad job: nothing was run
	exitUnreachable = 3   // a system could not be reached
	exitInterrupted = 130 // stopped on request; the next run goes on
)

// errInterrupted says that the run was stopped from outside. What there is to
// say about it is said already.
var errInterrupted = errors.New("interrupted")

// errRefused says that a module would not run. Why is said already.
var errRefused = errors.New("refused")

// exitCode returns the exit code that belongs to the error of a command.
func exitCode(err error) int {
	var (
		faults  jobspec.Faults
		file    *host.FileError
		changed *epoch.ChangedError
		module  *host.ModuleError
		taken   *host.OccupiedError
		usage   *usageError
		remote  *tenant.RefusedError
		system  *plugins.Error
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &faults), errors.As(err, &file), errors.As(err, &changed), errors.As(err, &module),
		errors.As(err, &taken), errors.As(err, &usage), errors.As(err, &remote), errors.Is(err, host.ErrLocked):
		return exitUsage
	case errors.As(err, &system) && system.Class == plugins.Unreachable:
		return exitUnreachable
	}
	return exitFailed
}

// complain prints the error of a command. Faults of a job file say themselves
// where they are.
func complain(w io.Writer, err error) {
	var faults jobspec.Faults
	var fixtures fixture.Faults
	switch {
	case errors.Is(err, errInterrupted), errors.Is(err, errRefused), errors.Is(err, errDiffers):
	case errors.As(err, &faults):
		fmt.Fprintln(w, faults)
	case errors.As(err, &fixtures):
		fmt.Fprintln(w, fixtures)
	default:
		fmt.Fprintf(w, "wasmill: %v\n", err)
	}
}

// usageError is an argument that cannot be taken, found by a command.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }
