//go:build linux && (amd64 || arm64)

package watchdog

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// cloneFlags are those of the Go runtime's own threads.
	cloneFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD

	futexWait = 0 | 128 // FUTEX_WAIT and FUTEX_WAKE, of this process alone
	futexWake = 1 | 128

	// threadClock are the low bits of the id of a thread's CPU clock; above
	// them is the inverted thread id (clock_getcpuclockid(3), and
	// CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED in the kernel's posix-timers.h).
	threadClock = 6

	// stackSize is that of the thread. It calls nothing and takes no
	// signals, so it uses none of it.
	stackSize = 64 << 10
)

// clone makes a thread that looks at the cells of t for ever, and returns its
// id or a negated error number. stack is the end of its stack. All signals
// must be blocked on the calling thread, for the new one inherits that.
//
//go:noescape
func clone(flags, stack uintptr, t *table) int64

// startTable maps the table and starts the thread that watches it.
func startTable() (*table, error) {
	if err := unix.ClockGettime(int32(^unix.Gettid()<<3|threadClock), new(unix.Timespec)); err != nil {
		return nil, fmt.Errorf("this kernel does not tell the CPU time of a thread, without which guests cannot be stopped: %w", err)
	}
	mem, err := unix.Mmap(-1, 0, int(unsafe.Sizeof(table{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping the table of slots: %w", err)
	}
	t := (*table)(unsafe.Pointer(&mem[0]))
	t.period, t.quiet = unix.NsecToTimespec(int64(period)), quiet
	if err := t.start(); err != nil {
		_ = unix.Munmap(mem)
		return nil, err
	}
	return t, nil
}

func (t *table) start() error {
	guard := os.Getpagesize()
	stack, err := unix.Mmap(-1, 0, guard+stackSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_STACK)
	if err == nil {
		err = unix.Mprotect(stack[:guard], unix.PROT_NONE)
	}
	if err != nil {
		return fmt.Errorf("mapping the stack of the thread that stops guests: %w", err)
	}
	tid, err := blockingSignals(func() int64 {
		return clone(cloneFlags, uintptr(unsafe.Pointer(&stack[0]))+uintptr(len(stack)), t)
	})
	if err == nil && tid < 0 {
		err = unix.Errno(-tid)
	}
	if err != nil {
		_ = unix.Munmap(stack)
		return fmt.Errorf("starting the thread that stops guests: %w: raise the limit on processes (ulimit -u, pids.max)", err)
	}
	// For people who look at threads; without it nothing is lost.
	_ = os.WriteFile("/proc/self/task/"+strconv.FormatInt(tid, 10)+"/comm", []byte("watchdog"), 0)
	return nil
}

// blockingSignals calls f with all signals blocked on its thread.
func blockingSignals(f func() int64) (int64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, old unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &old); err != nil {
		return 0, err
	}
	n := f()
	return n, unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
}
