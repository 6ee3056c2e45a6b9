package sched_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/host/guest/sched"
)

// TestRate_HoldsOnAverage has more slots and calls than the rate allows, in
// calls shorter and longer than the burst, at the share and above it.
func TestRate_HoldsOnAverage(t *testing.T) {
	const span, rate, burst = 60 * time.Second, 500 * ms, 50 * ms
	for _, tt := range []struct {
		name    string
		call    time.Duration
		callers int
		above   bool
	}{
		{"one call", 2 * ms, 1, false},
		{"longer than the burst", 300 * ms, 1, false},
		{"many calls", 2 * ms, 8, false},
		{"limit above", 2 * ms, 8, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			simulate(t, 4, func(w *world) {
				ctx := w.span(span)
				limited := w.s.Share(nil, sched.Options{Rate: rate})
				for i := range tt.callers {
					sh := limited
					if tt.above {
						sh = w.s.Share(limited, sched.Options{})
					}
					if i%2 == 0 {
						w.caller(ctx, sh, tt.call)
					} else {
						w.yielder(ctx, sh, tt.call)
					}
				}
				free := w.s.Share(nil, sched.Options{})
				w.yielder(ctx, free, 10*ms)
				w.all.Wait()
				want := time.Duration(span.Seconds() * float64(rate))
				over := burst + tt.call*time.Duration(min(tt.callers, 4)) // a call in each slot overdraws
				if got := limited.Stats().Used; got < want-tt.call || got > want+over {
					t.Errorf("used %v in %v, want %v and at most %v more", got, span, want, over)
				}
				if got := free.Stats(); !near(got.Used, span, 0.05) || got.ForCredit > 0 {
					t.Errorf("beside it a share without limit used %v of %v and waited %v for credit", got.Used, span, got.ForCredit)
				}
			})
		})
	}
}

// TestRate_BurstAndDebt follows one share through its bucket.
func TestRate_BurstAndDebt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sched.New(1)
		sh := s.Share(nil, sched.Options{Rate: 100 * ms, Burst: 30 * ms})
		waited := func() time.Duration {
			at := time.Now()
			if err := sh.Enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			return time.Since(at)
		}
		for i, step := range []struct {
			rest, want, used time.Duration
		}{
			{50 * ms, 0, 10 * ms},     // 20 ms left
			{0, 0, 20 * ms},           // none, and no debt
			{0, 0, 50 * ms},           // which is debt now
			{0, 500 * ms, 0},          // paid at 100 ms a second
			{0, 0, 10 * ms},           // debt again
			{40 * ms, 60 * ms, 0},     // partly paid while it rested
			{time.Hour, 0, 130 * ms},  // the bucket holds 30 ms, not more
			{0, 1000 * ms, -5 * ms},   // less than nothing is nothing
			{200 * ms, 0, 20 * ms},    // what it rested for
			{0, 0, 0},                 // nothing left, no debt
			{0, 0, 10 * time.Second},  // a call may take long
			{0, 100 * time.Second, 0}, // and is paid for
		} {
			time.Sleep(step.rest)
			if got := waited(); (got - step.want).Abs() > time.Microsecond {
				t.Errorf("step %d: it waited %v, want %v", i, got, step.want)
			}
			sh.Leave(step.used)
		}
	})
}

// TestRate_Defaults finds how much may be used before the first wait.
func TestRate_Defaults(t *testing.T) {
	for _, tt := range []struct {
		options sched.Options
		want    time.Duration
	}{
		{sched.Options{Rate: 500 * ms}, 50 * ms},
		{sched.Options{Rate: 20 * ms}, 10 * ms},
		{sched.Options{Rate: 4 * time.Second}, 400 * ms},
		{sched.Options{Rate: 20 * ms, Burst: 3 * ms}, 3 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := sched.New(1)
			sh := s.Share(nil, tt.options)
			ctx, cancel := context.WithTimeout(t.Context(), 1) // ends it at the first wait
			defer cancel()
			var used time.Duration
			for err := sh.Enter(ctx); err == nil; err = sh.Yield(ctx, ms) {
				used += ms
				if used == 2*time.Second {
					break
				}
			}
			// The call that makes the debt is the one behind the last that is paid.
			if used != tt.want+ms {
				t.Errorf("%+v: it used %v at once, want %v and a call more", tt.options, used, tt.want)
			}
		})
	}
}
