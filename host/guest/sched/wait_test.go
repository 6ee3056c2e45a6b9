package sched_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/host/guest/sched"
)

func TestEnter_Refuses(t *testing.T) {
	s := sched.New(1)
	parent := s.Share(nil, sched.Options{Name: "tenant a"})
	child := s.Share(parent, sched.Options{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	closed := s.Share(parent, sched.Options{})
	closed.Close()
	closed.Close()
	if err := parent.Enter(t.Context()); err == nil || !strings.Contains(err.Error(), `"tenant a"`) {
		t.Errorf("a share with shares below it: %v", err)
	}
	if err := child.Enter(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if err := closed.Enter(t.Context()); !errors.Is(err, sched.ErrClosed) {
		t.Errorf("a closed share: %v", err)
	}
	child.Close()
	if err := parent.Enter(t.Context()); err != nil {
		t.Errorf("a share whose shares are closed: %v", err)
	}
}

// TestYield_GivesTheSlotBackOnError yields with a context that has ended, at
// a closed share, and at one that has got a share below.
func TestYield_GivesTheSlotBackOnError(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, spoil := range map[string]func(*world, *sched.Share) context.Context{
		"context": func(*world, *sched.Share) context.Context { return ended },
		"closed":  func(w *world, sh *sched.Share) context.Context { sh.Close(); return w.t.Context() },
		"inner": func(w *world, sh *sched.Share) context.Context {
			w.s.Share(sh, sched.Options{})
			return w.t.Context()
		},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				sh, other := w.s.Share(nil, sched.Options{}), w.s.Share(nil, sched.Options{})
				if err := sh.Enter(w.t.Context()); err != nil {
					t.Fatal(err)
				}
				w.all.Go(func() {
					if err := other.Enter(context.Background()); err != nil {
						t.Error(err)
					}
					other.Leave(ms)
				})
				synctest.Wait()
				if err := sh.Yield(spoil(w, sh), ms); err == nil {
					t.Error("no error")
				}
			})
		})
	}
}

// TestClose_EndsWaits closes a share at which calls wait for a slot, and one
// where they wait for credit.
func TestClose_EndsWaits(t *testing.T) {
	simulate(t, 1, func(w *world) {
		slot, credit := w.s.Share(nil, sched.Options{}), w.s.Share(nil, sched.Options{Rate: ms})
		for i, sh := range []*sched.Share{credit, slot} {
			if err := sh.Enter(w.t.Context()); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				sh.Leave(time.Hour)
			}
		}
		ended := make(chan error, 6)
		for range 3 {
			for _, sh := range []*sched.Share{credit, slot} {
				w.all.Go(func() { ended <- sh.Enter(context.Background()) })
			}
		}
		synctest.Wait()
		for _, sh := range []*sched.Share{credit, slot} {
			if len(ended) > 0 {
				t.Fatal("a wait ended before its share was closed")
			}
			sh.Close()
			for range 3 {
				if err := <-ended; !errors.Is(err, sched.ErrClosed) {
					t.Errorf("a wait ended with %v", err)
				}
			}
		}
		slot.Leave(ms)
	})
}

// TestStats_TellWaitsApart makes a call wait 300 ms for credit and then 200
// ms for a slot.
func TestStats_TellWaitsApart(t *testing.T) {
	simulate(t, 1, func(w *world) {
		tenant := w.s.Share(nil, sched.Options{Rate: 100 * ms, Burst: ms})
		sh, other := w.s.Share(tenant, sched.Options{}), w.s.Share(nil, sched.Options{})
		if err := sh.Enter(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		sh.Leave(31 * ms)
		if err := other.Enter(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		w.all.Go(func() {
			if err := sh.Enter(context.Background()); err != nil {
				t.Error(err)
			}
			sh.Leave(4 * ms)
		})
		time.Sleep(500 * ms)
		other.Leave(500 * ms)
		w.all.Wait()

		impatient := w.s.Share(nil, sched.Options{})
		if err := other.Enter(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := impatient.Enter(w.span(70 * ms)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait for a slot that is taken ended with %v", err)
		}
		other.Leave(0)
		if got := impatient.Stats(); got != (sched.Stats{ForSlot: 70 * ms}) {
			t.Errorf("impatient: %+v", got)
		}
		for name, at := range map[string]*sched.Share{"job": sh, "tenant": tenant} {
			got := at.Stats()
			if got.Used != 35*ms || !near(got.ForCredit, 300*ms, 1e-6) || !near(got.ForSlot, 200*ms, 1e-6) {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if got := other.Stats(); got != (sched.Stats{Used: 500 * ms}) {
			t.Errorf("other: %+v", got)
		}
	})
}

// TestEnter_CancelStorm cancels calls at the moment in which they get a slot
// or credit, in real time: none may be lost.
func TestEnter_CancelStorm(t *testing.T) {
	const slots, callers, calls = 3, 16, 300
	s := sched.New(slots)
	tenant := s.Share(nil, sched.Options{Rate: time.Second, Burst: time.Microsecond})
	shares := []*sched.Share{s.Share(nil, sched.Options{}), s.Share(nil, sched.Options{Weight: 3}), s.Share(tenant, sched.Options{}), s.Share(tenant, sched.Options{})}
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			sh := shares[i%len(shares)]
			for n := range calls {
				ctx, cancel := context.WithCancel(context.Background())
				all.Go(func() {
					for range n % 7 {
						runtime.Gosched()
					}
					cancel()
				})
				err := sh.Enter(ctx)
				for k := 0; err == nil && k < 3; k++ {
					runtime.Gosched()
					err = sh.Yield(ctx, time.Microsecond)
				}
				if err == nil {
					sh.Leave(time.Microsecond)
				}
			}
		})
	}
	all.Wait()
	for range slots {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := shares[0].Enter(ctx); err != nil {
			t.Errorf("a slot is lost: %v", err)
		}
		cancel()
	}
}

// TestScheduler_LosesNoSlot runs random trees of shares with random calls,
// contexts that end and shares that are closed. The log has the seed.
func TestScheduler_LosesNoSlot(t *testing.T) {
	for range 30 {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random(t, seed)
		if t.Failed() {
			return
		}
	}
}

func random(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	simulate(t, 1+rng.IntN(5), func(w *world) {
		var open []*sched.Share
		for range 1 + rng.IntN(12) {
			o := sched.Options{Weight: rng.IntN(5)}
			if rng.IntN(3) == 0 {
				o.Rate, o.Burst = time.Duration(1+rng.IntN(2000))*ms, time.Duration(rng.IntN(100))*ms
			}
			var parent *sched.Share
			if len(open) > 0 && rng.IntN(3) > 0 {
				parent = open[rng.IntN(len(open))]
			}
			open = append(open, w.s.Share(parent, o))
		}
		for range 1 + rng.IntN(30) {
			sh, own := open[rng.IntN(len(open))], rand.New(rand.NewPCG(rng.Uint64(), 1))
			w.all.Go(func() { w.stray(sh, own) })
		}
		for range 20 {
			time.Sleep(time.Duration(rng.IntN(50)) * ms)
			switch i := rng.IntN(len(open)); rng.IntN(4) {
			case 0:
				open[i].Close()
			case 1:
				open[i] = w.s.Share(nil, sched.Options{Weight: rng.IntN(9)})
			}
		}
	})
}

// stray makes calls of random length and patience until it has made twenty.
func (w *world) stray(sh *sched.Share, rng *rand.Rand) {
	length := func() time.Duration { return time.Duration(rng.IntN(20_000)) * time.Microsecond }
	for range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*length())
		err := sh.Enter(ctx)
		for err == nil {
			d := length()
			w.run(d)
			if rng.IntN(2) == 0 {
				sh.Leave(d)
				break
			}
			err = sh.Yield(ctx, d)
		}
		cancel()
	}
}
