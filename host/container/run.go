package container

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/task"
	"github.com/wasmill/wasmill/state"
)

// run is the container between two openings of the store.
type run struct {
	k          *Container
	store      state.Store
	checkpoint epoch.Checkpoint
	guests     []time.Duration // what runs before have used, by step of the spec
	control    task.Control
	gate       *task.Gate
	waker      *task.Waker // of the coordinator
	wakers     []*task.Waker
	tasks      []*task.Task
	finders    []*task.Enumerator
	writers    []*epoch.Writer
	committer  epoch.Committer
	live       int  // tasks that have not sealed for the last time
	cutting    bool // some splits are read up to a cut, and then the run is over

	settled atomic.Bool // everything that is decided is finalised

	due   atomic.Bool  // it is time for a barrier
	ended atomic.Int32 // tasks that have ended, sealed or not
	cuts  atomic.Int32 // splits that have not come to their cut

	mu     sync.Mutex     // guards what follows
	deltas []*epoch.Delta // of the requested epoch
	errs   []error        // of tasks, in the order of their coming
	result *error         // of the commit in flight, once it has ended
}

// once goes from opening the store to closing it.
func (k *Container) once(ctx context.Context) (out Outcome, err error) {
	store, err := k.c.Open()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	r := &run{k: k, store: store, checkpoint: epoch.Checkpoint{Store: store}, waker: task.NewWaker(), guests: k.guests}
	if err := r.build(ctx); err != nil {
		return out, errors.Join(err, r.close())
	}
	k.run.Store(r)
	err = r.goOn(ctx)
	err = errors.Join(err, r.close())
	k.guests = r.guestTime()
	switch {
	case err == nil:
		err = r.clean()
	case r.settled.Load():
		_ = r.clean() // or a sink that repeats what may be unfinished does so in vain
	}
	out.Finished, out.Stopped = r.live == 0, k.stop.Load()
	return out, errors.Join(err, r.collect(&out))
}

// goOn runs the tasks until the coordinator says that it is over.
func (r *run) goOn(ctx context.Context) error {
	inner, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, f := range r.finders {
		wg.Go(func() { r.report(f.Run(inner)) })
	}
	for _, t := range r.tasks {
		wg.Go(func() { r.report(t.Run(inner)) })
	}
	err := r.coordinate(inner)
	cancel()
	wg.Wait()
	return err
}

// report takes a task's error to the coordinator.
func (r *run) report(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	r.errs = append(r.errs, err)
	r.mu.Unlock()
	r.waker.Wake()
}

// failed returns the first error of a task.
func (r *run) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errs) == 0 {
		return nil
	}
	return r.errs[0]
}

// coordinate asks for barriers and commits what comes of them, one at a time.
func (r *run) coordinate(ctx context.Context) error {
	r.yield() // tasks may be ahead
	number, err := r.checkpoint.Epoch()
	if err != nil {
		return err
	}
	r.k.committed.Store(number)
	total := int32(len(r.tasks) + len(r.finders))
	timer := time.AfterFunc(r.k.c.Plan.Spec.Epoch, r.tick)
	defer timer.Stop()
	var (
		committing sync.WaitGroup
		busy       bool // a commit is in flight
		asked      bool // the epoch behind number is requested
		last       bool // after this one the run is over
	)
	defer committing.Wait()
	for {
		r.yield()
		if err := r.failed(); err != nil {
			return err
		}
		if busy {
			if res := r.takeResult(); res != nil {
				if *res != nil {
					return *res
				}
				busy = false
				number++
				if last || r.live == 0 {
					return nil
				}
			}
		}
		stopping := r.k.stop.Load() || r.cutting && r.cuts.Load() == 0
		if stopping {
			r.control.Stopping.Store(true)
		}
		over := r.ended.Load() == total
		switch {
		case busy:
		case !asked && (r.due.Load() || stopping || over):
			r.due.Store(false)
			timer.Reset(r.k.c.Plan.Spec.Epoch)
			asked, last = true, stopping
			r.control.Requested.Store(number + 1)
			r.wakeAll()
			continue
		case asked:
			if e := r.takeEpoch(number + 1); e != nil {
				asked, busy = false, true
				committing.Go(func() { r.commit(ctx, e) })
			}
		}
		if err := r.waker.Wait(ctx); err != nil {
			return err
		}
	}
}

func (r *run) yield() {
	if y := r.k.c.Hooks.Yield; y != nil {
		y(-1)
	}
}

func (r *run) tick() {
	r.due.Store(true)
	r.waker.Wake()
}

func (r *run) wakeAll() {
	for _, w := range r.wakers {
		w.Wake()
	}
}

// takeEpoch returns the epoch once every live task has sealed it.
func (r *run) takeEpoch(number uint64) *epoch.Epoch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.deltas) < r.live {
		return nil
	}
	e := &epoch.Epoch{Number: number, Deltas: r.deltas}
	r.deltas = nil
	slices.SortFunc(e.Deltas, func(a, b *epoch.Delta) int { return a.Task - b.Task })
	for _, d := range e.Deltas {
		if d.Ended {
			r.live--
		}
	}
	e.Ended = r.live == 0
	return e
}

func (r *run) takeResult() *error {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.result
	r.result = nil
	return res
}

// commit runs one commit; it is the only goroutine that calls sinks.
func (r *run) commit(ctx context.Context, e *epoch.Epoch) {
	if y := r.k.c.Hooks.Yield; y != nil {
		y(-2)
	}
	began := time.Now()
	err := r.committer.Commit(ctx, e)
	switch {
	case err == nil:
		r.settled.Store(true)
	case errors.Is(err, state.ErrOutcomeUnknown):
		r.settled.Store(false)
	}
	r.k.commit.Add(int64(time.Since(began)))
	r.mu.Lock()
	r.result = &err
	r.mu.Unlock()
	r.waker.Wake()
}

// decided tells the tasks that an epoch is in the store.
func (r *run) decided(e *epoch.Epoch) {
	r.settled.Store(false)
	r.control.Committed.Store(e.Number)
	r.k.committed.Store(e.Number)
	r.k.epochs.Add(1)
	if d := r.k.c.Hooks.Decided; d != nil {
		d(e.Number)
	}
	r.wakeAll()
}

// clean notes that nothing is left to finish.
func (r *run) clean() error {
	n, err := r.checkpoint.Epoch()
	if err != nil || n == 0 {
		return err
	}
	return epoch.MarkClean(r.store, n)
}

func (r *run) close() error {
	var errs []error
	for _, w := range r.writers {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// collect reads from the checkpoint what all runs together have done.
func (r *run) collect(out *Outcome) error {
	for n := range len(r.finders) + len(r.tasks) {
		c, err := r.checkpoint.Counts(n)
		if err != nil {
			return fmt.Errorf("counts: %w", err)
		}
		out.Counts.Add(c)
	}
	for i := range r.k.c.Sources {
		f, err := r.checkpoint.Faults(i)
		if err != nil {
			return fmt.Errorf("faults: %w", err)
		}
		out.Faults = append(out.Faults, f)
	}
	return nil
}
