//go:build unix

package bench_test

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the CPU time of this process, all threads, user and system:
// other than elapsed time it says the same on a busy machine.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
