package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmill/wasmill/host/jobspec"
)

// start makes the first instance, so that a module that does not start is
// known before anything is read: at once a failure, since nothing can pass.
func (s *step) start(ctx context.Context) error {
	if s.module == nil {
		return nil
	}
	err := s.instantiate(ctx)
	if err != nil && isTrap(err) {
		return &ModuleFailure{Step: s.spec.Name, Module: s.module.Digest(), Err: err}
	}
	return err
}

// ready makes an instance if there is none. A module that does not start is
// tried again under the module policy.
func (s *step) ready(ctx context.Context) error {
	for s.inst == nil {
		err := s.instantiate(ctx)
		if err != nil && isTrap(err) {
			err = s.moduleFault(ctx, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// instantiate makes an instance. An error that is a *guest.Trap says that the
// module does not start.
func (s *step) instantiate(ctx context.Context) error {
	inst, err := s.module.Instantiate(ctx, s.init, s.calls)
	if err != nil && !isTrap(err) {
		return fmt.Errorf("step %s: %w", s.spec.Name, err)
	}
	if err != nil {
		return err
	}
	s.inst = inst
	s.stats.Memory.Store(int64(inst.MemoryBytes()))
	return nil
}

// discard closes the instance; the next call makes a new one.
func (s *step) discard(ctx context.Context) error {
	if s.inst == nil {
		return nil
	}
	err := s.inst.Close(ctx)
	s.inst = nil
	return err
}

const (
	maxModuleFaults = 10
	moduleBackoff   = 100 * time.Millisecond
	moduleBackoffTo = 30 * time.Second
	maxUnsteady     = 3 // batches a minute that fail whole and pass in parts
)

// moduleFault answers a fault of the module itself: the job fails, or the
// step waits, longer each time, until it has been ten times in a row.
func (s *step) moduleFault(ctx context.Context, err error) error {
	s.faults++
	if s.t.Plan.Spec.OnError.Module == jobspec.ModuleFail || s.faults >= maxModuleFaults {
		return &ModuleFailure{Step: s.spec.Name, Module: s.module.Digest(), InARow: s.faults, Err: err}
	}
	wait := min(moduleBackoff<<(s.faults-1), moduleBackoffTo)
	s.t.Log.Warn("module fault, trying again", "step", s.spec.Name, "in", wait, "error", err)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}

// unsteady counts a batch that failed whole and passed in parts.
func (s *step) unsteady(ctx context.Context) error {
	now := time.Now()
	s.flaky = slices.DeleteFunc(append(s.flaky, now), func(t time.Time) bool { return now.Sub(t) > time.Minute })
	if len(s.flaky) <= maxUnsteady {
		return nil
	}
	return s.moduleFault(ctx, errors.New("batches fail whole and pass in parts"))
}
