package sched_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/sched"
)

// chain is a share below a tenant's and a job's.
func chain(s *sched.Scheduler, tenant sched.Options) *sched.Share {
	return s.Share(s.Share(s.Share(nil, tenant), sched.Options{}), sched.Options{})
}

var kinds = map[string]sched.Options{"unlimited": {}, "limited": {Rate: time.Hour}}

func TestEnter_AllocatesNothing(t *testing.T) {
	for name, o := range kinds {
		sh := chain(sched.New(1), o)
		got := testing.AllocsPerRun(100, func() {
			if sh.Enter(t.Context()) != nil || sh.Yield(t.Context(), time.Microsecond) != nil {
				t.Error("refused")
			}
			sh.Leave(time.Microsecond)
		})
		if got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

// BenchmarkEnterLeave is the way of a call that nobody is in the way of, for a
// share three levels down.
func BenchmarkEnterLeave(b *testing.B) {
	for name, o := range kinds {
		b.Run(name, func(b *testing.B) {
			sh := chain(sched.New(1), o)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			b.ReportAllocs()
			for b.Loop() {
				if sh.Enter(ctx) != nil {
					b.Fatal("refused")
				}
				sh.Leave(time.Microsecond)
			}
		})
	}
}

// BenchmarkContended is a yield that hands the slot to another.
func BenchmarkContended(b *testing.B) {
	for _, n := range []int{2, 100, 10_000} {
		b.Run(fmt.Sprintf("waiting=%d", n-1), func(b *testing.B) {
			s := sched.New(1)
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan struct{}, n)
			defer func() {
				cancel()
				for range n {
					<-ended
				}
			}()
			var left = int64(b.N) // of the one that has the slot
			done := make(chan struct{})
			b.ReportAllocs()
			for range n {
				sh := chain(s, sched.Options{})
				go func() {
					defer func() { ended <- struct{}{} }()
					for err := sh.Enter(ctx); err == nil; err = sh.Yield(ctx, time.Microsecond) {
						if left--; left == 0 {
							close(done)
						}
					}
				}()
			}
			runtime.Gosched()
			<-done
		})
	}
}
