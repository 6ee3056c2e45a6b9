package sched_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/host/guest/sched"
)

const ms = time.Millisecond

// TestWeight_SetsProportions has shares of weight 1, 2 and 4 that want more
// than there is; the calls of the last are five times as long.
func TestWeight_SetsProportions(t *testing.T) {
	const span = 20 * time.Second
	for _, slots := range []int{1, 3} {
		for _, yields := range []bool{false, true} {
			t.Run(fmt.Sprintf("slots=%d/yields=%v", slots, yields), func(t *testing.T) {
				simulate(t, slots, func(w *world) {
					ctx := w.span(span)
					var shares []*sched.Share
					for i := range 3 {
						sh := w.s.Share(nil, sched.Options{Weight: 1 << i})
						shares = append(shares, sh)
						call := []time.Duration{2 * ms, 2 * ms, 10 * ms}[i]
						for range slots + 1 { // so that one waits always
							if yields {
								w.yielder(ctx, sh, call)
							} else {
								w.caller(ctx, sh, call)
							}
						}
					}
					w.all.Wait()
					for i, sh := range shares {
						want := span * time.Duration(slots) * (1 << i) / 7
						if got := sh.Stats().Used; !near(got, want, 0.05) {
							t.Errorf("weight %d used %v, want %v", 1<<i, got, want)
						}
					}
				})
			})
		}
	}
}

// TestWeight_OneYieldingCallEach needs a call to go on with its slot: who
// leaves it lets another in before it can ask again.
func TestWeight_OneYieldingCallEach(t *testing.T) {
	simulate(t, 1, func(w *world) {
		ctx := w.span(7 * time.Second)
		light, heavy := w.s.Share(nil, sched.Options{Weight: 1}), w.s.Share(nil, sched.Options{Weight: 6})
		w.yielder(ctx, light, 2*ms)
		w.yielder(ctx, heavy, 2*ms)
		w.all.Wait()
		if got := light.Stats().Used; !near(got, time.Second, 0.05) {
			t.Errorf("weight 1 of 7 used %v of 7 s", got)
		}
		if got := heavy.Stats().Used; !near(got, 6*time.Second, 0.05) {
			t.Errorf("weight 6 of 7 used %v of 7 s", got)
		}
	})
}

// TestWeight_IsByLevel has a tenant of ten instances beside one of a single
// instance: what a tenant gets does not depend on how many it starts.
func TestWeight_IsByLevel(t *testing.T) {
	simulate(t, 1, func(w *world) {
		ctx := w.span(20 * time.Second)
		many, one := w.s.Share(nil, sched.Options{Name: "many"}), w.s.Share(nil, sched.Options{Name: "one"})
		var instances []*sched.Share
		for i := range 10 {
			in := w.s.Share(w.s.Share(many, sched.Options{}), sched.Options{Name: fmt.Sprint(i)})
			instances = append(instances, in)
			w.yielder(ctx, in, 2*ms)
		}
		w.yielder(ctx, w.s.Share(w.s.Share(one, sched.Options{}), sched.Options{}), 2*ms)
		w.all.Wait()
		for _, tenant := range []*sched.Share{many, one} {
			if got := tenant.Stats().Used; !near(got, 10*time.Second, 0.05) {
				t.Errorf("a tenant used %v of 20 s, want half", got)
			}
		}
		for i, in := range instances {
			if got := in.Stats().Used; !near(got, time.Second, 0.05) {
				t.Errorf("instance %d used %v, want a tenth of 10 s", i, got)
			}
		}
	})
}

// TestWeight_SleepersSaveNothing lets a share come late: from then on it gets
// half, not all until it has caught up.
func TestWeight_SleepersSaveNothing(t *testing.T) {
	simulate(t, 1, func(w *world) {
		ctx := w.span(12 * time.Second)
		always, late := w.s.Share(nil, sched.Options{}), w.s.Share(nil, sched.Options{})
		w.yielder(ctx, always, 2*ms)
		time.Sleep(10 * time.Second)
		before := always.Stats().Used
		w.yielder(ctx, late, 2*ms)
		w.all.Wait()
		if got := always.Stats().Used - before; !near(got, time.Second, 0.05) {
			t.Errorf("beside a share that came late, another got %v of 2 s", got)
		}
	})
}

// TestWeight_NewcomersDoNotStarve has a share of so great a weight that its
// one call cannot use it. A newcomer must not be set back to its time.
func TestWeight_NewcomersDoNotStarve(t *testing.T) {
	simulate(t, 2, func(w *world) {
		ctx := w.span(22 * time.Second)
		great, small, late := w.s.Share(nil, sched.Options{Weight: 100}), w.s.Share(nil, sched.Options{}), w.s.Share(nil, sched.Options{})
		w.yielder(ctx, great, 2*ms)
		w.yielder(ctx, small, 2*ms)
		time.Sleep(20 * time.Second)
		before := small.Stats().Used
		w.yielder(ctx, late, 2*ms)
		w.all.Wait()
		if got := small.Stats().Used - before; !near(got, time.Second, 0.3) {
			t.Errorf("beside a newcomer a share got %v of a slot's 2 s, want about half", got)
		}
		if got := great.Stats().Used; !near(got, 22*time.Second, 0.1) {
			t.Errorf("the share of great weight used %v of 22 s", got)
		}
	})
}

// TestWeight_NobodyStarves counts the calls of a share of weight 1
// among fifty of weight 100.
func TestWeight_NobodyStarves(t *testing.T) {
	simulate(t, 2, func(w *world) {
		ctx := w.span(100 * time.Second)
		least := w.s.Share(nil, sched.Options{})
		for range 50 {
			w.yielder(ctx, w.s.Share(nil, sched.Options{Weight: 100}), 10*ms)
		}
		calls := 0
		w.all.Go(func() {
			for err := least.Enter(ctx); err == nil; err = least.Yield(ctx, 2*ms) {
				w.run(2 * ms)
				calls++
			}
		})
		w.all.Wait()
		// It is owed 200 s / 5,001 = 40 ms.
		if calls < 15 || calls > 25 {
			t.Errorf("it made %d calls of 2 ms, want about 20", calls)
		}
	})
}

// TestWeight_EqualsInTurn lets newcomers wait behind a share that is at the
// level's time, and has itself used something.
func TestWeight_EqualsInTurn(t *testing.T) {
	simulate(t, 1, func(w *world) {
		first, holder := w.s.Share(nil, sched.Options{}), w.s.Share(nil, sched.Options{})
		for _, used := range []time.Duration{10 * ms, 0} {
			if err := first.Enter(w.t.Context()); err != nil {
				t.Fatal(err)
			}
			first.Leave(used)
		}
		if err := holder.Enter(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		var served []int
		for i := range 8 {
			sh := first
			if i > 0 {
				sh = w.s.Share(nil, sched.Options{})
			}
			w.all.Go(func() {
				if err := sh.Enter(w.t.Context()); err != nil {
					t.Error(err)
				}
				served = append(served, i)
				sh.Leave(ms)
			})
			synctest.Wait()
		}
		holder.Leave(ms)
		w.all.Wait()
		if want := []int{0, 1, 2, 3, 4, 5, 6, 7}; !slices.Equal(served, want) {
			t.Errorf("served in the order %v", served)
		}
	})
}
