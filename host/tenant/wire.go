package tenant

import (
	"context"
	"errors"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// Nothing is the argument or the reply of a call that has none.
type Nothing int

// Opened says how host.Open went.
type Opened struct {
	Decision epoch.Decision
	Failure  *Failure
}

// Ran says how host.Job.Run went.
type Ran struct {
	Outcome container.Outcome // without Faults
	Faults  [][]Fault         // by source
	Status  host.Status       // at the end
	Cause   string            // why the worker has cancelled the run itself; "" = it has not
	Failure *Failure
}

// Closed says how host.Job.Close went.
type Closed struct{ Failure *Failure }

// Fault is a plugins.Fault.
type Fault struct {
	Kind plugins.FaultKind
	Path string
	Text string
}

// Failure is an error: its text, and what decides about it.
type Failure struct {
	Text                               string
	Refused, Partial, Canceled, Locked bool
	Class                              *plugins.Class // of a connector's error, nil if it is none
}

// RefusedError says that nothing was run, for the reason that is its text:
// the job file, a module, what lies in the state or where a sink writes to.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// failure takes an error apart, nil for nil.
func failure(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{
		Text: err.Error(), Refused: refused(err), Partial: errors.Is(err, host.ErrPartial),
		Canceled: errors.Is(err, context.Canceled), Locked: errors.Is(err, host.ErrLocked),
	}
	var of *plugins.Error
	if errors.As(err, &of) {
		f.Class = &of.Class
	}
	return f
}

func refused(err error) bool {
	var (
		faults  jobspec.Faults
		file    *host.FileError
		changed *epoch.ChangedError
		module  *host.ModuleError
		taken   *host.OccupiedError
	)
	return errors.As(err, &faults) || errors.As(err, &file) || errors.As(err, &changed) || errors.As(err, &module) || errors.As(err, &taken)
}

// err puts the error together again, nil for nil.
func (f *Failure) err() error {
	if f == nil {
		return nil
	}
	e := &remoteError{text: f.Text}
	if f.Refused {
		e.is = append(e.is, &RefusedError{f.Text})
	}
	if f.Partial {
		e.is = append(e.is, host.ErrPartial)
	}
	if f.Canceled {
		e.is = append(e.is, context.Canceled)
	}
	if f.Locked {
		e.is = append(e.is, host.ErrLocked)
	}
	if f.Class != nil {
		e.is = append(e.is, &plugins.Error{Class: *f.Class, Err: errors.New(f.Text)})
	}
	return e
}

// remoteError is an error of a worker. It is what the worker's error was.
type remoteError struct {
	text string
	is   []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.is }

// ran makes the reply of what Run returned.
func ran(out container.Outcome, err error) Ran {
	r := Ran{Outcome: out, Failure: failure(err)}
	for _, faults := range out.Faults {
		var of []Fault
		for _, f := range faults {
			of = append(of, Fault{f.Kind, f.Path, f.Err.Error()})
		}
		r.Faults = append(r.Faults, of)
	}
	r.Outcome.Faults = nil
	return r
}

// outcome is the opposite of ran.
func (r *Ran) outcome() (container.Outcome, error) {
	out := r.Outcome
	for _, faults := range r.Faults {
		var of []*plugins.Fault
		for _, f := range faults {
			of = append(of, &plugins.Fault{Kind: f.Kind, Path: f.Path, Err: errors.New(f.Text)})
		}
		out.Faults = append(out.Faults, of)
	}
	return out, r.Failure.err()
}
