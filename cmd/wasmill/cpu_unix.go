//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of this process, all threads, user and system.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
