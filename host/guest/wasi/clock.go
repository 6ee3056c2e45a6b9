package wasi

import (
	"math"

	"github.com/tetratelabs/wazero/api"
)

// Tick is the resolution of the clocks, and what a read of the State's own
// clocks advances them by: 1,000 ns.
const Tick = 1000

// The clocks that a guest can name. Those of CPU time do not exist.
const (
	clockRealtime  = 0
	clockMonotonic = 1
)

// clock counts in nanoseconds. Nothing in it comes from the host's time.
// Sums stop at the largest int64, so that no clock goes backwards.
type clock struct {
	monotonic int64 // advances by reads and sleeps, for as long as the instance lives
	start     int64 // the wall clock where there is no batch
	slept     int64 // in this batch: the wall clock is ahead by it
}

func (c *clock) sleep(ns int64) {
	c.monotonic = add(c.monotonic, ns)
	c.slept = add(c.slept, ns)
}

// Begin says that a batch begins: what sleeping added to the wall clock is
// forgotten, so that equal batches see equal times.
func (s *State) Begin() { s.clock.slept = 0 }

// Wall reads the wall clock as the guest does, in nanoseconds since 1970. It
// is a read like any other: it may advance the clock.
func (s *State) Wall() int64 {
	ns, _ := s.now(clockRealtime)
	return ns
}

// now reads a clock of the guest, false if it has none of that number.
func (s *State) now(id uint32) (int64, bool) {
	switch id {
	case clockRealtime:
		if s.config.Wall != nil {
			if ns, ok := s.config.Wall(); ok {
				return add(ns, s.clock.slept), true
			}
		}
		s.clock.start = add(s.clock.start, Tick)
		return add(s.clock.start, s.clock.slept), true
	case clockMonotonic:
		s.clock.monotonic = add(s.clock.monotonic, Tick)
		return s.clock.monotonic, true
	}
	return 0, false
}

// add returns a+b for b of at least 0, the largest int64 instead of overflow.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func clockResGet(_ *State, m api.Memory, p []uint64) Errno {
	if id := uint32(p[0]); id != clockRealtime && id != clockMonotonic {
		return EINVAL
	}
	return answer64(m, p[1], Tick)
}

func clockTimeGet(s *State, m api.Memory, p []uint64) Errno {
	out, ok := view(m, uint32(p[2]), 8)
	if !ok {
		return EFAULT
	}
	ns, ok := s.now(uint32(p[0]))
	if !ok {
		return EINVAL
	}
	le.PutUint64(out, uint64(ns))
	return OK
}

// answer64 puts a result where the guest wants it.
func answer64(m api.Memory, ptr, v uint64) Errno {
	out, ok := view(m, uint32(ptr), 8)
	if !ok {
		return EFAULT
	}
	le.PutUint64(out, v)
	return OK
}
