package sched_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/wasmill/wasmill/host/guest/sched"
)

// TestClose_FreesTheShare looks for shares that have been used and closed, and
// at which calls have waited for a slot and for credit.
func TestClose_FreesTheShare(t *testing.T) {
	s := sched.New(1)
	var gone []weak.Pointer[sched.Share]
	for range 20 {
		tenant := s.Share(nil, sched.Options{Rate: time.Second})
		sh := s.Share(tenant, sched.Options{})
		if err := sh.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, missing := range []string{"slot", "credit"} {
			short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if err := sh.Enter(short); err == nil {
				t.Fatalf("a call without %s", missing)
			}
			cancel()
			if missing == "slot" {
				sh.Leave(time.Hour)
			}
		}
		sh.Close()
		tenant.Close()
		gone = append(gone, weak.Make(sh), weak.Make(tenant))
	}
	// What a context has woken may hold a share until it ends.
	left := func() int {
		runtime.GC()
		gone = slices.DeleteFunc(gone, func(p weak.Pointer[sched.Share]) bool { return p.Value() == nil })
		return len(gone)
	}
	for deadline := time.Now().Add(10 * time.Second); left() > 0 && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if len(gone) > 0 {
		t.Errorf("%d shares are not freed", len(gone))
	}
	runtime.KeepAlive(s)
}
