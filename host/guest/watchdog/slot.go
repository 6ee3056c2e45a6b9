package watchdog

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// Values of a cell's limit that are no limits.
const (
	resting = 0  // nothing runs, or the owner has taken the limit back
	claimed = -1 // the dog is about to set the flag
	stopped = -2 // the dog has set the flag and will not touch it again
)

// Slot is the dog's eye on one instance. One goroutine at a time uses it.
//
// The limit of its cell is the only word that both sides change. The owner
// moves it from resting to a limit (Begin, Extend), and from a limit or
// stopped back to resting; the dog moves it from a limit to claimed, sets the
// flag, and moves it from claimed to stopped. Out of a limit both sides go by
// compare-and-swap, so one of them wins; and an owner who finds claimed waits
// for stopped. So when the limit is resting, the dog has no store under way.
//
// A limit that the dog has read may be that of an earlier call. Then its
// compare-and-swap fails, unless the new call, on another thread, has the same
// limit to the nanosecond; that one is stopped early, as if it had overrun.
type Slot struct {
	dog   *Dog
	index int
	flag  *uint64
	cell  *cell
}

// Begin clears the flag and lets the guest run for cpu of CPU time from now.
// The calling goroutine must be locked to its thread until End, because that
// thread's clock is the one that counts.
func (s *Slot) Begin(cpu time.Duration) {
	s.settle()
	s.arm(cpu)
}

// Extend clears the flag and gives the guest cpu more from now on, instead of
// what it had left. It is called between Begin and End, from a function that
// the guest calls; without Extend a guest that was stopped stays stopped.
func (s *Slot) Extend(cpu time.Duration) {
	s.settle()
	s.arm(cpu)
}

// End tells whether the guest has been stopped since Begin or the last
// Extend. After it the flag is 0 and stays so.
func (s *Slot) End() (stopped bool) { return s.settle() }

// Release gives the slot back, for the flag of another instance. It ends what
// runs; the Slot must not be used after it.
func (s *Slot) Release() {
	s.settle()
	s.cell.watch(nil)
	s.dog.free(s.index)
}

// settle takes the limit back and leaves a flag of 0 that the dog will not
// set. It tells whether the dog had set it. It waits only while the dog is
// between two instructions; the Go runtime never stops a dog of its own
// thread there.
func (s *Slot) settle() (overran bool) {
	for {
		switch l := s.cell.limit.Load(); l {
		case resting:
			return false
		case claimed:
			runtime.Gosched()
		case stopped:
			atomic.StoreUint64(s.flag, 0)
			s.cell.limit.Store(resting)
			return true
		default:
			if s.cell.limit.CompareAndSwap(l, resting) {
				return false
			}
		}
	}
}

// arm sets the limit of a settled slot, and wakes the dog if it lies.
func (s *Slot) arm(cpu time.Duration) {
	atomic.StoreUint64(s.flag, 0)
	now := s.cell.clock()
	s.cell.limit.Store(max(1, now+min(max(0, int64(cpu)), math.MaxInt64-now)))
	s.dog.table.wake()
}
