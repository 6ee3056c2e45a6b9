package task

import (
	"log/slog"
	"sync/atomic"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
)

// Control is what a container and its tasks share.
type Control struct {
	Requested atomic.Uint64 // the epoch that tasks are asked to seal
	Committed atomic.Uint64 // the last epoch that is in the store
	Stopping  atomic.Bool   // nothing new is read from sources, no end is called

	Sealed func(*epoch.Delta) // takes what a task sealed; called once a task and epoch
	Ended  func()             // a task has nothing more to do but to seal
	AtCut  func()             // a split has come to where this run has to leave it
	Read   func(records int)  // nil, or called for each batch read from a source
	Yield  func(task int)     // nil, or called before each look around: a test's scheduler
}

// Base is what tasks of both kinds have: those that run steps, and those
// that find splits. Its methods are called on the task's goroutine.
type Base struct {
	Number     int // in the container, the same in each run
	Plan       *plan.Plan
	Checkpoint epoch.Checkpoint
	Control    *Control
	Waker      *Waker
	Gate       *Gate
	Log        *slog.Logger

	epoch   uint64 // the open one
	counts  epoch.Counts
	counted epoch.Counts // as last sealed
}

// load reads what the checkpoint holds and reports whether the task has ended.
func (b *Base) load() (ended bool, err error) {
	n, err := b.Checkpoint.Epoch()
	if err != nil {
		return false, err
	}
	b.epoch = n + 1
	if b.counts, err = b.Checkpoint.Counts(b.Number); err != nil {
		return false, err
	}
	b.counted = b.counts
	return b.Checkpoint.Ended(b.Number)
}

func (b *Base) yield() {
	if b.Control.Yield != nil {
		b.Control.Yield(b.Number)
	}
}

// requested reports whether the open epoch is to be sealed.
func (b *Base) requested() bool { return b.Control.Requested.Load() == b.epoch }

// fault counts and logs a part of a source that was not read; the row keeps it.
func (b *Base) fault(source int, f *plugins.Fault) epoch.Row {
	b.Log.Warn("part of the source not read", "source", b.Plan.Spec.Sources[source].Name, "kind", f.Kind, "path", f.Path, "error", f.Err)
	b.counts.Faults++
	return epoch.Row{Key: epoch.FaultKey(source, f), Value: append([]byte{}, f.Err.Error()...)}
}

// countRow returns the row of the counts if they changed.
func (b *Base) countRow() []epoch.Row {
	if b.counts == b.counted {
		return nil
	}
	b.counted = b.counts
	return []epoch.Row{{Key: epoch.CountKey(b.Number), Value: epoch.AppendCounts(nil, b.counts)}}
}

// sealed hands d over and opens the next epoch.
func (b *Base) sealed(d *epoch.Delta) {
	b.epoch++
	b.Control.Sealed(d)
}
