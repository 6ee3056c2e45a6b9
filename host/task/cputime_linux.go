package task

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the present thread and the CPU time that it has used.
func threadTime() (thread int, cpu time.Duration) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0, 0
	}
	return unix.Gettid(), time.Duration(t.Nano())
}
