package task

import (
	"runtime"
	"time"
)

// stopwatch measures the CPU time of a call on this goroutine, which stays on
// its thread until elapsed is called. Where the system cannot tell, it is the
// time elapsed.
type stopwatch struct {
	began time.Time
	cpu   time.Duration
	known bool // cpu is
}

// startWatch begins to measure; elapsed must be called, once.
func startWatch() stopwatch {
	runtime.LockOSThread()
	w := stopwatch{began: time.Now()}
	w.cpu, w.known = threadTime()
	return w
}

func (w *stopwatch) elapsed() time.Duration {
	defer runtime.UnlockOSThread()
	if cpu, ok := threadTime(); ok && w.known {
		return cpu - w.cpu
	}
	return time.Since(w.began)
}
