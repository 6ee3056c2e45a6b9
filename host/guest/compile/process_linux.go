package compile

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// self returns the command that starts this binary again, which its file
// might not be any more.
func self() []string { return []string{"/proc/self/exe"} }

// childAttributes make a child that dies with its parent, and that a signal
// from the terminal does not reach.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limitSelf limits the CPU time of this process, in seconds, and the memory
// that it may take beside what it has, in bytes. It leaves no core file.
func limitSelf(cpu, memory uint64) error {
	has, err := dataSize()
	if err != nil {
		return err
	}
	for _, l := range []struct {
		what  int
		limit uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_CPU, cpu}, {unix.RLIMIT_DATA, has + memory}} {
		var old unix.Rlimit
		if err := unix.Getrlimit(l.what, &old); err != nil {
			return err
		}
		limit := min(l.limit, old.Max)
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	return nil
}

// dataSize returns what RLIMIT_DATA counts of this process, in bytes: private
// mappings that can be written to. A race detector's shadow memory is a part.
func dataSize() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	if len(fields) < 6 {
		return 0, os.ErrInvalid
	}
	pages, err := strconv.ParseUint(string(fields[5]), 10, 64)
	return pages * uint64(os.Getpagesize()), err
}
