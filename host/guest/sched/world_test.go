package sched_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/host/guest/sched"
)

// world runs callers of a scheduler in virtual time, and sees to it that no
// more of them run at once than there are slots.
type world struct {
	t       *testing.T
	s       *sched.Scheduler
	slots   int64
	running atomic.Int64
	all     sync.WaitGroup
}

// simulate runs do in a world of so many slots.
func simulate(t *testing.T, slots int, do func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, s: sched.New(slots), slots: int64(slots)}
		do(w)
		w.all.Wait()
		w.checkSlots()
	})
}

// run is the time in which a call is in its slot.
func (w *world) run(call time.Duration) {
	if n := w.running.Add(1); n > w.slots {
		w.t.Errorf("%d calls run in %d slots", n, w.slots)
	}
	time.Sleep(call)
	w.running.Add(-1)
}

// caller makes calls one after another, each with a slot of its own, until
// the context ends.
func (w *world) caller(ctx context.Context, sh *sched.Share, call time.Duration) {
	w.all.Go(func() {
		for sh.Enter(ctx) == nil {
			w.run(call)
			sh.Leave(call)
		}
	})
}

// yielder makes one call that yields again and again.
func (w *world) yielder(ctx context.Context, sh *sched.Share, call time.Duration) {
	w.all.Go(func() {
		for err := sh.Enter(ctx); err == nil; err = sh.Yield(ctx, call) {
			w.run(call)
		}
	})
}

// checkSlots takes each slot once at the same time.
func (w *world) checkSlots() {
	w.t.Helper()
	sh := w.s.Share(nil, sched.Options{})
	defer sh.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := range w.slots {
		if err := sh.Enter(ctx); err != nil {
			w.t.Fatalf("slot %d of %d is lost: %v", i+1, w.slots, err)
		}
	}
	short, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if err := sh.Enter(short); err == nil {
		w.t.Fatalf("there are more than %d slots", w.slots)
	}
	for range w.slots {
		sh.Leave(0)
	}
}

// span is a context that ends after d.
func (w *world) span(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	w.t.Cleanup(cancel)
	return ctx
}

// near tells whether got is want, give or take a part of it.
func near(got, want time.Duration, part float64) bool {
	return (got - want).Abs().Seconds() <= want.Seconds()*part
}
