package task

import "time"

// stopwatch measures the CPU time of a call on this goroutine. Where the
// goroutine has changed its thread meanwhile, or the system cannot tell, it
// is the time elapsed.
type stopwatch struct {
	began  time.Time
	thread int // 0: not known
	cpu    time.Duration
}

func startWatch() stopwatch {
	w := stopwatch{began: time.Now()}
	w.thread, w.cpu = threadTime()
	return w
}

func (w *stopwatch) elapsed() time.Duration {
	if thread, cpu := threadTime(); thread != 0 && thread == w.thread {
		return cpu - w.cpu
	}
	return time.Since(w.began)
}
