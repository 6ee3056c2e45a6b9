package guest_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// working is a step in Go that does something for every batch.
type working struct{ work func() }

func (w working) Batch(*wire.Batch) (abi.Errno, error)                       { w.work(); return abi.OK, nil }
func (w working) End([]byte) (bool, abi.Errno, error)                        { return false, abi.OK, nil }
func (w working) make(guest.Init, guest.Calls) (guest.NativeInstance, error) { return w, nil }

func used(t *testing.T, work func()) time.Duration {
	t.Helper()
	in, err := guest.Native("working", working{work}.make).Instantiate(t.Context(), guest.Init{}, &calls{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, in, batch("a"))
	return in.Used()
}

func TestUsed_CountsNoTimeOffTheCPU(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell the CPU time of a thread")
	}
	sleep := func() time.Duration { return used(t, func() { time.Sleep(50 * time.Millisecond) }) }
	least := sleep()
	for range 3 { // the kernel may charge a thread for what the machine did
		least = min(least, sleep())
	}
	if least > 25*time.Millisecond { // it is the sleep that must not count
		t.Errorf("a sleep of 50 ms counts as %v", least)
	}
	if d := used(t, func() {
		for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
		}
	}); d <= 0 {
		t.Errorf("20 ms of work count as %v", d)
	}
}

// More goroutines than CPUs give way to each other in the middle of what is
// measured; together they cannot have had more than the CPUs.
func TestUsed_CountsTheTimeOfOneGoroutine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell the CPU time of a thread")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var sum time.Duration
	began := time.Now()
	for range 8 {
		wg.Go(func() {
			for time.Since(began) < 200*time.Millisecond {
				d := used(t, func() {
					for at := time.Now(); time.Since(at) < time.Millisecond; {
						runtime.Gosched()
					}
				})
				mu.Lock()
				sum += d
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if most := 2 * time.Since(began); sum > most {
		t.Errorf("%v of CPU time on two CPUs, which had %v", sum, most)
	}
}
