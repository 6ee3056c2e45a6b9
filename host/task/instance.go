package task

import (
	"context"
	"fmt"
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
			s.stats.Traps.add(string(trapKind(err)))
			err = s.moduleFault(ctx, &s.crashes.starts, err)
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
	s.inst, s.served = inst, false
	s.fresh = inst.MemoryBytes()
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
