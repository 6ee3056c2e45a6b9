package tenant

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const supported = true

// attributes make a worker that dies with the supervisor, and that signals of
// the terminal do not reach. The system takes the end of the thread that
// starts the worker for that of the supervisor; Go ends no thread but that of
// a goroutine that ends locked to it, of which there is none here.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// usage is the memory of a process, in bytes.
type usage struct {
	private uint64 // resident and in no file: what only its end gives back
	data    uint64 // what RLIMIT_DATA counts
}

func memoryOf(pid int) (usage, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return usage{}, err
	}
	// size resident shared text lib data dt, in pages
	fields := bytes.Fields(text)
	if len(fields) < 6 {
		return usage{}, fmt.Errorf("/proc/%d/statm reads %q", pid, text)
	}
	var n [6]uint64
	for i := range n {
		if n[i], err = strconv.ParseUint(string(fields[i]), 10, 64); err != nil {
			return usage{}, err
		}
		n[i] *= uint64(os.Getpagesize())
	}
	return usage{private: n[1] - min(n[1], n[2]), data: n[5]}, nil
}

// limit bounds what a process can reserve, in bytes beside what it has, and
// takes core files from it.
func limit(pid int, memory uint64) error {
	has, err := memoryOf(pid)
	if err != nil {
		return err
	}
	return errors.Join(lower(pid, unix.RLIMIT_DATA, has.data+memory), lower(pid, unix.RLIMIT_CORE, 0))
}

// lower sets a limit of a process unless it is lower.
func lower(pid, what int, to uint64) error {
	var old unix.Rlimit
	if err := unix.Prlimit(pid, what, nil, &old); err != nil {
		return err
	}
	to = min(to, old.Max)
	return unix.Prlimit(pid, what, &unix.Rlimit{Cur: to, Max: to}, nil)
}
