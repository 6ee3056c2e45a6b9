package guest

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/sched"
	"github.com/wasmill/wasmill/host/guest/watchdog"
)

// What calls may use of the CPU.
const (
	quantum      = 10 * time.Millisecond  // of a call before the dog sets the flag: what the garbage collector waits for at most
	startQuantum = 25 * time.Millisecond  // the same of start-up, which most languages are done with in it
	longTime     = 30 * time.Second       // of start-up, and of one call of end
	severalTime  = 100 * time.Millisecond // of a call for several records, in the patient form too: one of them may never end
)

// DefaultRecordTime is the CPU time that a call may use for one record.
const DefaultRecordTime = time.Second

// cpu is what an instance has of the CPU. A call is between enter and leave:
// it has a slot of the scheduler, stays on its thread, and the dog watches it.
// When its quantum is over the flag makes it tick: in the fast form that is
// its end, in the patient form it gives way to others and goes on.
type cpu struct {
	share  *sched.Share
	slot   *watchdog.Slot
	fuel   api.MutableGlobal // of the counted form, else nil
	record time.Duration     // what a call for one record may use

	limit   time.Duration // of the call that is running
	parts   bool          // at its limit the call is to be made again, in parts
	used    time.Duration // by it, up to began
	quantum time.Duration
	began   time.Duration // on the thread's clock
	total   time.Duration // by all calls
	budget  uint64        // of fuel for one call
	spent   uint64        // of fuel by the last call
	stay    bool          // the tick goes on
	out     bool          // the slot of the scheduler is gone
	owed    time.Duration // what the share has not been told of
}

// enter waits for credit and for a slot, and starts the clocks.
func (c *cpu) enter(ctx context.Context, q, limit time.Duration) error {
	if err := c.share.Enter(ctx); err != nil {
		return err
	}
	c.quantum, c.limit, c.used, c.out = q, limit, 0, false
	runtime.LockOSThread()
	c.began = threadTime()
	if c.fuel != nil {
		c.fuel.Set(c.budget)
	}
	c.slot.Begin(q)
	return nil
}

// outside does for the instance what is no call, but takes time that depends
// on the module: it has a slot, and the share pays. It is not counted as used.
func (c *cpu) outside(ctx context.Context, do func()) error {
	if err := c.share.Enter(ctx); err != nil {
		return err
	}
	runtime.LockOSThread()
	began := threadTime()
	defer func() {
		c.share.Leave(max(0, threadTime()-began))
		runtime.UnlockOSThread()
	}()
	do()
	return nil
}

// leave stops the clocks and gives the slot back, if it still has one.
func (c *cpu) leave() {
	c.slot.End()
	if c.fuel != nil {
		c.spent = c.budget - min(c.fuel.Get(), c.budget) // below zero when it ran out
	}
	c.lap()
	if !c.out {
		c.share.Leave(c.owed)
	}
	c.owed = 0
	runtime.UnlockOSThread()
}

// lap counts the CPU time since the last lap or enter.
func (c *cpu) lap() {
	now := threadTime()
	lap := max(0, now-c.began)
	c.began = now
	c.used += lap
	c.total += lap
	c.owed += lap
}

// tick is called by the guest when its flag is set. It returns if the guest
// may go on, and otherwise what ends it.
func (c *cpu) tick(ctx context.Context) *unwind {
	if c.fuel != nil && int64(c.fuel.Get()) < 0 {
		return &unwind{kind: TrapTimeout, text: fmt.Sprintf("it used up its fuel of %d", c.budget)}
	}
	if ctx.Err() != nil {
		return &unwind{err: ctx.Err()}
	}
	if !c.stay {
		return &unwind{kind: TrapQuantum, text: fmt.Sprintf("it did not return within %v of CPU time", c.quantum)}
	}
	c.lap()
	if c.used >= c.limit {
		kind := TrapTimeout
		if c.parts {
			kind = TrapQuantum
		}
		return &unwind{kind: kind, text: fmt.Sprintf("it did not return within %v of CPU time", c.limit)}
	}
	c.slot.End() // while it waits nothing runs
	err := c.share.Yield(ctx, c.owed)
	c.owed = 0
	if err != nil {
		c.out = true
		return &unwind{err: err}
	}
	c.slot.Extend(min(c.quantum, c.limit-c.used))
	return nil
}

// close gives back what the instance had.
func (c *cpu) close() {
	if c.slot != nil {
		c.slot.Release()
		c.slot = nil
	}
}

// unwind ends a call from within a host function: as a trap of kind, or,
// with err, for a reason that is not the guest's.
type unwind struct {
	kind TrapKind
	text string
	err  error
	park bool // it is no end: the program has parked
}

func (u *unwind) Error() string {
	if u.err != nil {
		return u.err.Error()
	}
	return u.text
}
