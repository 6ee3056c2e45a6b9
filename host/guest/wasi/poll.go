package wasi

import (
	"math"

	"github.com/tetratelabs/wazero/api"
)

// Layout of a subscription and an event, in bytes, and the kinds of both.
const (
	subscriptionSize = 48
	eventSize        = 32

	eventClock = 0
	eventRead  = 1
	eventWrite = 2

	absoluteTime = 1 // flag of a clock's
)

// pollOneoff never waits. Files are always ready; if there is one among the
// subscriptions, those of clocks occur only if their time has come. If there
// are clocks alone, the earliest occurs, and the clocks are moved to it.
func pollOneoff(s *State, m api.Memory, p []uint64) Errno {
	n := uint32(p[2])
	if n == 0 || n > MaxSubscriptions {
		return EINVAL
	}
	in, ok1 := view(m, uint32(p[0]), n*subscriptionSize)
	out, ok2 := view(m, uint32(p[1]), n*eventSize)
	result, ok3 := view(m, uint32(p[3]), 4)
	if !ok1 || !ok2 || !ok3 {
		return EFAULT
	}
	var subs [MaxSubscriptions]subscription // kept apart: events may lie over them
	wait := int64(math.MaxInt64)
	for i := range n {
		sub, e := s.subscribe(in[i*subscriptionSize:][:subscriptionSize])
		if e != OK {
			return e
		}
		subs[i] = sub
		wait = min(wait, sub.wait)
	}
	s.clock.sleep(wait)
	events := uint32(0)
	for _, sub := range subs[:n] {
		if sub.wait > wait {
			continue
		}
		event := out[events*eventSize:][:eventSize]
		clear(event)
		le.PutUint64(event, sub.user)
		le.PutUint16(event[8:], uint16(sub.errno))
		event[10] = sub.kind
		if sub.errno == OK && sub.kind != eventClock {
			le.PutUint64(event[16:], 1) // bytes, of which there is at least one or the end
		}
		events++
	}
	le.PutUint32(result, events)
	return OK
}

type subscription struct {
	user  uint64
	kind  byte
	errno Errno
	wait  int64 // nanoseconds until it occurs
}

// subscribe reads a subscription. A fault of one alone is in its event.
func (s *State) subscribe(b []byte) (subscription, Errno) {
	sub := subscription{user: le.Uint64(b), kind: b[8]}
	arg := b[16:]
	switch sub.kind {
	case eventClock:
		id, timeout, flags := le.Uint32(arg), le.Uint64(arg[8:]), le.Uint16(arg[24:])
		if flags&^absoluteTime != 0 {
			return sub, EINVAL
		}
		sub.wait, sub.errno = s.until(id, int64(min(timeout, math.MaxInt64)), flags&absoluteTime != 0)
	case eventRead, eventWrite:
		if f, ok := s.file(uint64(le.Uint32(arg))); !ok || !f.ready(sub.kind) {
			sub.errno = EBADF
		}
	default:
		return sub, EINVAL
	}
	return sub, OK
}

// until returns how long it is until a clock reads an absolute time, or that
// time from now.
func (s *State) until(id uint32, ns int64, absolute bool) (int64, Errno) {
	if id != clockRealtime && id != clockMonotonic {
		return 0, EINVAL
	}
	if !absolute {
		return ns, OK
	}
	now, _ := s.now(id)
	return max(ns-now, 0), OK
}

// ready reports whether a file can be read or written at all.
func (f *file) ready(event byte) bool {
	if event == eventWrite {
		return f.kind == stdout || f.kind == stderr
	}
	return f.kind == stdin || f.kind == regular
}
