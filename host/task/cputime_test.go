package task

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestStopwatch_CountsNoTimeOffTheCPU(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell the CPU time of a thread")
	}
	w := startWatch()
	time.Sleep(50 * time.Millisecond) // it is the sleep that must not count
	if e := w.elapsed(); e > 25*time.Millisecond {
		t.Errorf("a sleep of 50 ms counts as %v", e)
	}
	w = startWatch()
	for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
	}
	if e := w.elapsed(); e <= 0 {
		t.Errorf("20 ms of work count as %v", e)
	}
}

// More goroutines than CPUs give way to each other in the middle of what is
// measured; together they cannot have had more than the CPUs.
func TestStopwatch_CountsTheTimeOfOneGoroutine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell the CPU time of a thread")
	}
	const goroutines = 8
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var sum time.Duration
	began := time.Now()
	for range goroutines {
		wg.Go(func() {
			for time.Since(began) < 200*time.Millisecond {
				w := startWatch()
				for at := time.Now(); time.Since(at) < time.Millisecond; {
					runtime.Gosched()
				}
				e := w.elapsed()
				if e < 0 {
					t.Errorf("a call took %v", e)
				}
				mu.Lock()
				sum += e
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if most := 2 * time.Since(began); sum > most {
		t.Errorf("%v of CPU time on two CPUs, which had %v", sum, most)
	}
}
