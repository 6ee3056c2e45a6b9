package watchdog_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/watchdog"
)

// running calls f between Begin and End on a locked thread.
func running(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
}

func TestSlot_EndTellsWhoWasStopped(t *testing.T) {
	flag := new(uint64)
	s := slot(t, flag)
	tests := []struct {
		name  string
		limit time.Duration
		until bool // use CPU until the flag is set
		want  bool
	}{
		{"over at once", time.Hour, false, false},
		{"overrun", time.Millisecond, true, true},
		{"over at once after an overrun", time.Hour, false, false},
		{"no time at all", 0, true, true},
		{"less than no time", math.MinInt64, true, true},
		{"all the time there is", math.MaxInt64, false, false},
	}
	for _, tt := range tests {
		running(func() {
			s.Begin(tt.limit)
			if tt.until {
				spin(flag)
			}
			if got := s.End(); got != tt.want {
				t.Errorf("%s: stopped is %v", tt.name, got)
			}
			if s.End() {
				t.Errorf("%s: stopped a second time", tt.name)
			}
			if *flag != 0 {
				t.Errorf("%s: the flag is %d", tt.name, *flag)
			}
		})
	}
}

func TestSlot_BeginClearsAFlagThatSomebodyElseSet(t *testing.T) {
	flag := new(uint64)
	s := slot(t, flag)
	*flag = 3
	running(func() {
		s.Begin(time.Hour)
		if v := atomic.LoadUint64(flag); v != 0 {
			t.Errorf("the flag is %d", v)
		}
		s.End()
	})
}

func TestSlot_ExtendLetsAStoppedGuestGoOn(t *testing.T) {
	flag := new(uint64)
	s := slot(t, flag)
	running(func() {
		s.Begin(time.Millisecond)
		for range 3 {
			spin(flag)
			if v := atomic.LoadUint64(flag); v != 1 {
				t.Fatalf("the flag is %d, want 1: a limit was not kept", v)
			}
			s.Extend(time.Millisecond)
			if v := atomic.LoadUint64(flag); v != 0 {
				t.Fatalf("the flag is %d after Extend", v)
			}
		}
		s.Extend(time.Hour)
		if s.End() {
			t.Error("stopped, although the last extension was an hour")
		}
	})
}

// The dog has claimed the limit and not yet set the flag: End waits for it.
func TestSlot_EndWaitsForADogThatIsAboutToStop(t *testing.T) {
	flag := new(uint64)
	s := slot(t, flag)
	ended := make(chan bool)
	claimed := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		running(func() {
			s.Begin(time.Hour)
			s.Claim()
			close(claimed)
			ended <- s.End()
		})
	})
	<-claimed
	select {
	case <-ended:
		t.Error("End returned, and the dog still has the flag to set")
	case <-time.After(20 * time.Millisecond):
		s.Stop()
		if !<-ended || *flag != 0 {
			t.Errorf("the flag is %d, or End told that nothing was stopped", *flag)
		}
	}
	wg.Wait()
}

// Calls whose ends fall together with their limits: whatever End says, the
// flag is the owner's until the next Begin. Half of the goroutines begin and
// end as fast as they can under a dog that looks all the time, so that the two
// meet between any two instructions.
func TestSlot_EndIsTheLastWord(t *testing.T) {
	const canary = 0xca9a27
	defer dog(t).Hurry()()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var calls, stops atomic.Int64
	var wg sync.WaitGroup
	// On a machine that is busy it takes longer until something is shown.
	over := time.Now().Add(time.Second)
	late := over.Add(time.Minute)
	shown := func() bool { return stops.Load() > 0 && calls.Load() > stops.Load() }
	for i := range uint64(8) {
		flag := new(uint64)
		s := slot(t, flag)
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			rnd := rand.New(rand.NewPCG(seed, i))
			for now := time.Now(); now.Before(over) || now.Before(late) && !shown(); now = time.Now() {
				s.Begin(time.Duration(rnd.IntN(100)) * time.Microsecond * time.Duration(i%2))
				if i%2 == 1 {
					// Stay until the dog comes, or for a time that ends as it comes.
					leave := time.Now().Add(time.Duration(rnd.IntN(200)) * time.Microsecond)
					for atomic.LoadUint64(flag) == 0 && time.Now().Before(leave) {
					}
				}
				for range rnd.IntN(100) {
				}
				if s.End() {
					stops.Add(1)
				}
				calls.Add(1)
				if !atomic.CompareAndSwapUint64(flag, 0, canary) {
					t.Errorf("the flag is %d after End", atomic.LoadUint64(flag))
				}
				for range rnd.IntN(500) {
				}
				if v := atomic.LoadUint64(flag); v != canary {
					t.Errorf("the flag became %d after End", v)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls, %d stopped", calls.Load(), stops.Load())
	if !shown() {
		t.Errorf("%d of %d calls were stopped: the test shows nothing", stops.Load(), calls.Load())
	}
}

func TestSlot_ReleaseGivesTheSlotToAnother(t *testing.T) {
	d := dog(t)
	before := d.Cells()
	first, second := new(uint64), new(uint64)
	a, err := d.Slot(first)
	if err != nil {
		t.Fatal(err)
	}
	running(func() {
		a.Begin(0)
		spin(first)
		a.Release() // also ends what runs
	})
	if *first != 0 {
		t.Errorf("the first flag is %d after Release", *first)
	}
	b, err := d.Slot(second)
	if err != nil {
		t.Fatal(err)
	}
	running(func() {
		b.Begin(0)
		spin(second)
		if *first != 0 {
			t.Error("the flag of a released slot was set")
		}
		if !b.End() {
			t.Error("a slot used again does not stop")
		}
	})
	b.Release()
	if n := d.Cells(); n != before {
		t.Errorf("the dog looks at %d cells, before it was %d", n, before)
	}
}

func TestDog_RefusesMoreThanItHas(t *testing.T) {
	d := dog(t)
	before := d.Cells()
	flag := new(uint64)
	var taken []*watchdog.Slot
	var err error
	for len(taken) <= watchdog.Capacity {
		var s *watchdog.Slot
		if s, err = d.Slot(flag); err != nil {
			break
		}
		taken = append(taken, s)
	}
	if err == nil || !strings.Contains(err.Error(), "all 16384 slots of the process are taken") {
		t.Errorf("error %v after %d slots", err, len(taken))
	}
	if n := d.Cells(); n != watchdog.Capacity {
		t.Errorf("the dog looks at %d cells", n)
	}
	rand.Shuffle(len(taken), func(i, j int) { taken[i], taken[j] = taken[j], taken[i] })
	for _, s := range taken {
		s.Release()
	}
	if n := d.Cells(); n != before {
		t.Errorf("the dog looks at %d cells, before it was %d", n, before)
	}
}

func TestSlot_CallsDoNotAllocate(t *testing.T) {
	s := slot(t, new(uint64))
	running(func() {
		if n := testing.AllocsPerRun(1000, func() {
			s.Begin(time.Second)
			s.Extend(time.Second)
			s.End()
		}); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

func BenchmarkSlot(b *testing.B) {
	s := slot(b, new(uint64))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ReportAllocs()
	for b.Loop() {
		s.Begin(time.Second)
		s.End()
	}
}
