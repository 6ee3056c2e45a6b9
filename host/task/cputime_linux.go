package task

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time that the present thread has used.
func threadTime() (cpu time.Duration, ok bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
