package wasi_test

import (
	"math"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

const (
	pollIn, pollOut = 1000, 8000
)

// subscribe writes subscription i: kind 0 is a clock, 1 and 2 a file.
func (g *guest) subscribe(i int, user uint64, kind byte, id uint32, timeout uint64, flags uint16) {
	b := g.m.Bytes[pollIn+48*i:][:48]
	clear(b)
	le.PutUint64(b, user)
	b[8] = kind
	le.PutUint32(b[16:], id)
	le.PutUint64(b[24:], timeout)
	le.PutUint16(b[40:], flags)
}

func (g *guest) sleep(ns uint64) {
	g.t.Helper()
	g.subscribe(0, 1, 0, 1, ns, 0)
	g.want(wasi.OK, "poll_oneoff", pollIn, pollOut, 1, 0)
}

// events returns user data, error and kind of those that occurred.
func (g *guest) poll(n uint64) (events [][3]uint64) {
	g.t.Helper()
	g.want(wasi.OK, "poll_oneoff", pollIn, pollOut, n, 0)
	for i := range int(g.u32(0)) {
		at := pollOut + 32*i
		events = append(events, [3]uint64{g.u64(at), uint64(le.Uint16(g.m.Bytes[at+8:])), uint64(g.m.Bytes[at+10])})
	}
	return events
}

func (g *guest) monotonic() uint64 {
	g.t.Helper()
	g.want(wasi.OK, "clock_time_get", 1, 1, 8)
	return g.u64(8)
}

// Row 6: a sleep returns at once, and the clock has moved.
func TestPoll_SleepsBySettingTheClock(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	before := g.monotonic()
	g.sleep(4e9)
	if got := g.monotonic(); got != before+4e9+wasi.Tick {
		t.Errorf("from %d to %d", before, got)
	}
	g.sleep(math.MaxUint64) // for ever
	g.sleep(math.MaxInt64)
	if got := g.monotonic(); got != math.MaxInt64 {
		t.Errorf("the clock reads %d", int64(got))
	}
	g.sleep(1)
}

func TestPoll_TheEarliestClockOccurs(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	g.subscribe(0, 10, 0, 1, 500, 0)
	g.subscribe(1, 11, 0, 0, 300, 0)
	g.subscribe(2, 12, 0, 1, 300, 0)
	got := g.poll(3)
	if len(got) != 2 || got[0] != [3]uint64{11, 0, 0} || got[1] != [3]uint64{12, 0, 0} {
		t.Errorf("events %v", got)
	}
	if got := g.monotonic(); got != 300+wasi.Tick {
		t.Errorf("the clock reads %d", got)
	}
}

func TestPoll_AbsoluteTime(t *testing.T) {
	g := newGuest(t, wasi.Config{Wall: func() (int64, bool) { return 5e9, true }})
	g.subscribe(0, 10, 0, 1, 9e9, 1)
	g.subscribe(1, 11, 0, 0, 6e9, 1) // in 1 s, the other in 9
	if got := g.poll(2); len(got) != 1 || got[0][0] != 11 {
		t.Errorf("events %v", got)
	}
	g.subscribe(0, 12, 0, 0, 4e9, 1) // it is past
	g.subscribe(1, 13, 0, 0, 0, 0)
	if got := g.poll(2); len(got) != 2 {
		t.Errorf("events %v", got)
	}
}

func TestPoll_FilesAreReadyAtOnce(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	fd := g.open("hello.txt")
	before := g.monotonic()
	g.subscribe(0, 10, 0, 1, 9e9, 0)
	g.subscribe(1, 11, 1, 0, 0, 0)
	g.subscribe(2, 12, 2, 1, 0, 0)
	g.subscribe(3, 13, 2, 0, 0, 0)
	g.subscribe(4, 14, 1, uint32(fd), 0, 0)
	g.subscribe(5, 15, 1, 99, 0, 0)
	got := g.poll(6)
	want := [][3]uint64{{11, 0, 1}, {12, 0, 2}, {13, uint64(wasi.EBADF), 2}, {14, 0, 1}, {15, uint64(wasi.EBADF), 1}}
	if len(got) != len(want) {
		t.Fatalf("events %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d is %v, want %v", i, got[i], want[i])
		}
	}
	if got := g.monotonic(); got != before+wasi.Tick {
		t.Errorf("the clock moved by %d", got-before)
	}
}

func TestPoll_EventsMayLieOverSubscriptions(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	for i := range 4 {
		g.subscribe(i, uint64(i), 2, 1, 0, 0)
	}
	g.want(wasi.OK, "poll_oneoff", pollIn, pollIn, 4, 0)
	for i := range 4 {
		if got := g.u64(pollIn + 32*i); got != uint64(i) {
			t.Errorf("event %d is of %d", i, got)
		}
	}
}

// Row 44: 48 times 0x10000000 is 0 in 32 bits.
func TestPoll_RefusesWhatItCannotCount(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	for i := range wasi.MaxSubscriptions {
		g.subscribe(i, 1, 2, 1, 0, 0)
	}
	for _, n := range []uint64{0, wasi.MaxSubscriptions + 1, 0x10000000, 0x05555556, math.MaxUint32} {
		g.want(wasi.EINVAL, "poll_oneoff", pollIn, pollOut, n, 0)
	}
	g.want(wasi.OK, "poll_oneoff", pollIn, pollOut, wasi.MaxSubscriptions, 0)
	g.want(wasi.EFAULT, "poll_oneoff", end-47, pollOut, 1, 0)
	g.want(wasi.EFAULT, "poll_oneoff", pollIn, end-31, 1, 0)
	g.want(wasi.EFAULT, "poll_oneoff", pollIn, pollOut, 1, end-3)
	g.want(wasi.EFAULT, "poll_oneoff", math.MaxUint32-47, pollOut, 1, 0)

	g.subscribe(0, 1, 3, 0, 0, 0) // no such kind
	g.want(wasi.EINVAL, "poll_oneoff", pollIn, pollOut, 1, 0)
	g.subscribe(0, 1, 0, 1, 0, 2) // no such flag
	g.want(wasi.EINVAL, "poll_oneoff", pollIn, pollOut, 1, 0)
	g.subscribe(0, 1, 0, 2, 50, 0) // no such clock
	if got := g.poll(1); len(got) != 1 || got[0] != [3]uint64{1, uint64(wasi.EINVAL), 0} {
		t.Errorf("events %v", got)
	}
}
