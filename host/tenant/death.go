package tenant

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// death says why a worker has ended before it was done.
type death struct {
	reason string
	dump   string // of the Go runtime, if it is a bug that ended it
}

func (d *death) Error() string { return d.reason }

// outOfMemory reports whether a crash is for want of memory. Stacks of new
// threads are the first to fail where the C library makes them.
func outOfMemory(dump string) bool {
	for _, words := range []string{"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread"} {
		if strings.Contains(dump, words) {
			return true
		}
	}
	return false
}

// diagnose says why a process ended. killed is why the supervisor has killed
// it, "" if it has not; memory is its limit in bytes.
func diagnose(killed string, state *os.ProcessState, err *stderr, memory uint64) *death {
	dump, what := err.crashed()
	switch {
	case killed != "":
		return &death{reason: killed}
	case outOfMemory(dump):
		return &death{reason: fmt.Sprintf("it needed more memory than its limit of %d MiB allows", memory>>20)}
	case strings.HasPrefix(what, "SIGSEGV"): // of Go's own code, which looks so when it gets no memory for the collector
		return &death{fmt.Sprintf("%s, perhaps for want of memory, with its limit of %d MiB", what, memory>>20), dump}
	case what != "":
		return &death{what, dump}
	case state == nil:
		return &death{reason: "it did not start"}
	}
	if how, ok := state.Sys().(syscall.WaitStatus); ok && how.Signaled() {
		return &death{reason: fmt.Sprintf("it was ended by signal %q", how.Signal())}
	}
	return &death{reason: fmt.Sprintf("it ended with %v", state)}
}
