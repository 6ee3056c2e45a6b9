package sched

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrClosed is returned to who enters a closed share, or waits there when it
// is closed.
var ErrClosed = errors.New("sched: the share is closed")

// waiter is a call that waits for a slot.
type waiter struct {
	share *Share
	at    *list.Element // in share.waiters; nil: it waits no more
	since time.Duration
	done  chan struct{} // closed by Scheduler.end
	err   error         // nil: it has a slot; may be read when done is closed
}

// Enter waits until the share and those above it have credit, and then for a
// slot. Without an error the caller has a slot, which it gives back by Leave.
// The error is ErrClosed, that of the context, or says that other shares are
// below this one: such a share stands for them and has no calls of its own.
func (sh *Share) Enter(ctx context.Context) error {
	sh.s.mu.Lock()
	return sh.acquire(ctx)
}

// Leave gives the slot back. used is the CPU time of the call since Enter or
// the last Yield.
func (sh *Share) Leave(used time.Duration) {
	s := sh.s
	s.mu.Lock()
	sh.charge(used)
	s.free++
	if s.waiting > 0 {
		s.tick()
		s.dispatch()
	}
	s.mu.Unlock()
}

// Yield is Leave and then Enter, from within a call: it returns at once,
// without an error, if credit is left and nobody who waits has a better claim
// to the slot. After an error the caller has no slot and must not call Leave.
func (sh *Share) Yield(ctx context.Context, used time.Duration) error {
	s := sh.s
	s.mu.Lock()
	sh.charge(used)
	s.free++
	return sh.acquire(ctx)
}

// acquire gets a slot. It is called with Scheduler.mu held, and releases it.
func (sh *Share) acquire(ctx context.Context) error {
	s := sh.s
	if err := sh.refused(ctx); err != nil {
		s.tick()
		s.dispatch() // what Yield gave back
		s.mu.Unlock()
		return err
	}
	if s.waiting == 0 && s.free > 0 && sh.mayRun() {
		s.take(sh)
		s.mu.Unlock()
		return nil
	}
	w := s.join(sh)
	s.mu.Unlock()
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		s.quit(w)
		return ctx.Err()
	}
}

// refused returns why a call may not even wait.
func (sh *Share) refused(ctx context.Context) error {
	switch {
	case sh.closed:
		return ErrClosed
	case sh.children > 0:
		return fmt.Errorf("sched: share %q has shares below it: enter one of those", sh.name)
	}
	return ctx.Err()
}

// join lets a call wait at a share. It may have got a slot on return.
func (s *Scheduler) join(sh *Share) *waiter {
	s.tick()
	w := &waiter{share: sh, since: s.now, done: make(chan struct{})}
	w.at = sh.waiters.PushBack(w)
	s.waiting++
	s.place(sh)
	s.dispatch()
	return w
}

// quit takes back a call whose context has ended. If it got a slot meanwhile,
// another call gets that.
func (s *Scheduler) quit(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	switch {
	case w.at != nil:
		s.end(w, context.Canceled)
	case w.err == nil:
		s.free++
	}
	s.dispatch()
}

// end ends the wait of a call as of Scheduler.now: by a slot if err is nil.
func (s *Scheduler) end(w *waiter, err error) {
	credit := min(max(w.share.debtEnd()-w.since, 0), s.now-w.since)
	for a := w.share; a.parent != nil; a = a.parent {
		a.stats.ForCredit += credit
		a.stats.ForSlot += s.now - w.since - credit
	}
	w.share.waiters.Remove(w.at)
	w.at, w.err = nil, err
	s.waiting--
	if err == nil {
		s.take(w.share)
	}
	s.place(w.share)
	close(w.done)
}
