package guest

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time that the present thread has used. The
// goroutine must be locked to it for two of them to be compared.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // the clock is always there
	return time.Duration(t.Nano())
}
