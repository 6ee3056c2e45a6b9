// Package container runs the tasks of one job in one process. It starts and
// waits for every goroutine below it, asks for barriers, and commits.
package container

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/host/task"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
)

// Config is what a container runs. Everything in it stays the caller's.
type Config struct {
	Plan     *plan.Plan
	Identity map[string]string // of the job, as plan.Identity gives it
	Sources  []plugins.Source  // by source of the spec
	Sinks    []plugins.Sink    // by sink of the spec
	Modules  []guest.Module    // by step of the spec, nil where there is none

	// Open opens the store. It is called again after a rollback that could
	// not tell what had been committed.
	Open func() (state.Store, error)

	Log    *slog.Logger
	Limits guest.Limits
	Batch  plugins.Limit

	BatchTime  time.Duration // see task.Config
	RecordTime time.Duration // see task.Config

	Unsealed   int // bytes of unsealed work, default 64 MiB
	Queue      int // bytes in one queue between two tasks, default 256 KiB: what a barrier has to pass
	CacheBytes int // of clean state entries, all tasks together, default 64 MiB
	Pending    int // splits found and not read, default 10,000

	Hooks Hooks
}

// Hooks are seams of tests, nil elsewhere.
type Hooks struct {
	At      func(epoch.Point) error         // see epoch.Committer
	Yield   func(task int)                  // see task.Control; the coordinator is -1, the committer -2
	Read    func(records int)               // see task.Control
	Decider func(state.Store) epoch.Decider // instead of epoch.Embedded
	Decided func(number uint64)             // an epoch is in the store
}

func (c *Config) defaults() {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	set(&c.Unsealed, 64<<20)
	set(&c.Queue, 256<<10)
	set(&c.CacheBytes, 64<<20)
	set(&c.Pending, 10_000)
	set(&c.Batch.Records, 1024)
	set(&c.Batch.Bytes, 256<<10)
	set(&c.Batch.Record, abi.MaxRecord)
	c.Limits = c.Limits.WithDefaults()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// Container is the tasks of one job. Run is called once; Stop and Status
// may be called at any time from anywhere.
type Container struct {
	c    Config
	stop atomic.Bool
	run  atomic.Pointer[run] // the present one
	cuts []map[string]record.Position

	guests []time.Duration // CPU time in guests, by step of the spec, of runs that are over

	committed atomic.Uint64 // number of the last committed epoch
	epochs    atomic.Int64  // committed by this process
	commit    atomic.Int64  // nanoseconds spent in commits
}

// New makes a container.
func New(c Config) *Container {
	c.defaults()
	k := &Container{c: c}
	for range c.Sources {
		k.cuts = append(k.cuts, map[string]record.Position{})
	}
	return k
}

// Stop asks Run to finish the epoch and return.
func (k *Container) Stop() {
	k.stop.Store(true)
	if r := k.run.Load(); r != nil {
		r.waker.Wake()
	}
}

// Outcome is how a run came to its end.
type Outcome struct {
	Finished bool // all input is processed and committed, for ever
	Stopped  bool // Stop was called
	Counts   epoch.Counts
	Faults   [][]*plugins.Fault // by source, of all runs
}

const (
	maxRollbacks  = 10 // in a row without a commit
	rollbackPause = 100 * time.Millisecond
)

// Run goes on from the store's checkpoint until the input has ended, Stop was
// called, ctx ended, or something went wrong. Whatever it returns, the store
// holds a checkpoint from which the next Run goes on. After a rollback it
// does so itself: rolling back and starting again are one path.
func (k *Container) Run(ctx context.Context) (Outcome, error) {
	var first *task.RecordFailure
	rollbacks, last := 0, uint64(0)
	for {
		out, err := k.once(ctx)
		var failed *task.RecordFailure
		switch {
		case err == nil && first != nil:
			return out, first
		case err == nil:
			return out, nil
		case errors.As(err, &failed) && k.cut(failed.Origin):
			if first == nil || failed.Origin.Before(first.Origin) {
				first = failed
			}
			k.c.Log.Info("rolling back to commit what came before the failed record", "error", failed)
			continue
		case ctx.Err() == nil && recoverable(err):
			if n := k.committed.Load(); n > last {
				rollbacks, last = 0, n
			}
			if rollbacks++; rollbacks > maxRollbacks {
				return out, fmt.Errorf("rolled back %d times without a commit: %w", maxRollbacks, err)
			}
			k.c.Log.Warn("rolling back to the last commit", "error", err)
			select {
			case <-time.After(rollbackPause):
			case <-ctx.Done():
				return out, ctx.Err()
			}
			continue
		}
		return out, err
	}
}

// recoverable tells whether going on from the store may help. On a full disk
// it does not: somebody has to make room.
func recoverable(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return false
	}
	var e *plugins.Error
	if errors.As(err, &e) && e.Retry {
		return true
	}
	return errors.Is(err, state.ErrOutcomeUnknown) || errors.Is(err, epoch.ErrFinalise)
}

// cut notes that a split is to be read up to the origin of a failed record
// only. It reports false if that is no news, so that going on is pointless.
func (k *Container) cut(o task.Origin) bool {
	if o.Part == nil {
		return false
	}
	cuts := k.cuts[o.Part.Source]
	if at, ok := cuts[string(o.Part.Split)]; ok && at <= o.Position() {
		return false
	}
	cuts[string(o.Part.Split)] = o.Position()
	return true
}
