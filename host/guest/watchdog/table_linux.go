//go:build linux && (amd64 || arm64)

package watchdog

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// table is what owners of slots and the dog's thread share. It is mapped, not
// allocated: the thread is none of Go's. The assembly reads offsets and sizes
// from here, through go_asm.h.
//
// Nobody loses a wake-up. Before the thread waits, it stores idle = 1, looks
// at all cells once more, and waits only if none has a limit and only while
// idle is 1. An owner stores its limit, then loads idle. All four are
// sequentially consistent, so either the owner sees 1: it, or another owner
// who was faster, stores 0 and wakes the thread, and should the thread not
// have begun to wait, the kernel finds 0 and does not let it. Or the owner
// sees 0: then its limit was stored before the thread's idle = 1, and the look
// that follows finds it. The same holds for end, which is stored before any
// limit of the cells below it.
type table struct {
	idle atomic.Uint32 // futex: 1 while the thread waits or is about to
	_    [60]byte

	end    atomic.Uint64 // cells [0, end) may be in use
	looks  atomic.Uint64 // by the thread: how often it looked at the cells
	period unix.Timespec // the time between two looks
	cpu    unix.Timespec // by the thread: where the kernel puts a clock's time
	quiet  uint64        // looks that find nothing running before the thread waits
	_      [8]byte

	cells [capacity]cell
}

// cell is a slot's part of the table: one cache line, so that instances on
// different CPUs do not disturb each other.
type cell struct {
	flag  uintptr      // address of the flag, which the Slot keeps alive
	limit atomic.Int64 // CPU time of tid in nanoseconds, or one of slot.go's values
	tid   uint32       // the thread that runs the guest; stored before limit
	_     [44]byte
}

// watch says which flag the cell is for. Nothing runs in it.
func (c *cell) watch(flag *uint64) { c.flag = uintptr(unsafe.Pointer(flag)) }

// clock notes the calling thread as the one that counts and returns its CPU
// time in nanoseconds.
func (c *cell) clock() int64 {
	var t unix.Timespec
	// This clock can fail only where the kernel has none, which startTable finds.
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&t)), 0)
	c.tid = uint32(unix.Gettid())
	return t.Nano()
}

// wake wakes the thread if it waits. It costs one load if it does not.
func (t *table) wake() {
	if t.idle.Load() == 1 && t.idle.CompareAndSwap(1, 0) {
		// The address and the operation are right, so it cannot fail.
		_, _, _ = unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&t.idle)), futexWake, 1)
	}
}
