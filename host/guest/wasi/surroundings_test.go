package wasi_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

func TestState_OfNothingShowsNothing(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	for _, sizes := range []string{"args_sizes_get", "environ_sizes_get"} {
		g.vector(0, 9, 9)
		g.want(wasi.OK, sizes, 0, 4)
		if g.u32(0) != 0 || g.u32(4) != 0 {
			t.Errorf("%s: %d values of %d bytes", sizes, g.u32(0), g.u32(4))
		}
	}
	g.vector(100, 200, 10)
	g.vector(0, 9)
	g.want(wasi.OK, "fd_read", 0, 100, 1, 0)
	if g.u32(0) != 0 {
		t.Errorf("stdin has %d bytes", g.u32(0))
	}
	g.want(wasi.OK, "fd_write", 1, 100, 1, 0)
	if g.u32(0) != 10 {
		t.Errorf("stdout took %d bytes of 10", g.u32(0))
	}
	g.want(wasi.EBADF, "fd_prestat_get", 3, 0)
	g.want(wasi.EBADF, "path_open", g.pathArgs(3, "/proc/self/environ", 0, rightRead)...)
	g.want(wasi.ENOTDIR, "path_open", g.pathArgs(0, "proc", 0, rightRead)...)
	g.want(wasi.ENOSYS, "random_get", 0, 8)
}

func TestArgs_AndEnvironment(t *testing.T) {
	g := newGuest(t, wasi.Config{Args: []string{"prog", "", "x"}, Env: []string{"A=b"}})
	g.want(wasi.OK, "args_sizes_get", 0, 4)
	if g.u32(0) != 3 || g.u32(4) != 8 {
		t.Fatalf("%d values of %d bytes", g.u32(0), g.u32(4))
	}
	g.want(wasi.OK, "args_get", 0, 100)
	if got := g.text(100, 8); got != "prog\x00\x00x\x00" || g.u32(0) != 100 || g.u32(4) != 105 || g.u32(8) != 106 {
		t.Fatalf("%q at %d, %d, %d", got, g.u32(0), g.u32(4), g.u32(8))
	}
	g.want(wasi.OK, "environ_get", 0, end-4)
	if got := g.text(end-4, 4); got != "A=b\x00" {
		t.Fatalf("environment %q", got)
	}
	g.want(wasi.EFAULT, "environ_get", 0, end-3)
	g.want(wasi.EFAULT, "args_get", end-8, 0)
	g.want(wasi.EFAULT, "args_sizes_get", end-3, 0)
	g.want(wasi.EFAULT, "args_sizes_get", 0, math.MaxUint32)
}

func TestClock_AdvancesByTheTick(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	for id := range uint64(2) {
		for i := range 3 {
			g.want(wasi.OK, "clock_time_get", id, 1, 8)
			if got := g.u64(8); got != uint64(i+1)*wasi.Tick {
				t.Errorf("clock %d, read %d: %d", id, i, got)
			}
		}
		g.want(wasi.OK, "clock_res_get", id, 8)
		if got := g.u64(8); got != 1000 {
			t.Errorf("clock %d: resolution %d", id, got)
		}
	}
	for _, id := range []uint64{2, 3, 4, math.MaxUint32} {
		g.want(wasi.EINVAL, "clock_time_get", id, 1, 8)
		g.want(wasi.EINVAL, "clock_res_get", id, 8)
	}
	g.want(wasi.EFAULT, "clock_time_get", 0, 1, end-7)
	g.want(wasi.EFAULT, "clock_res_get", 0, end-7)
	g.want(wasi.OK, "clock_time_get", 0, 1, end-8)
	if got := g.u64(end - 8); got != 4*wasi.Tick {
		t.Errorf("a read that failed moved the clock: %d", got)
	}
}

// Row 7: a guest that waits by reading the clock comes to an end.
func TestClock_EndsASpinOfASecond(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	f, stack, reads := function(t, "clock_time_get"), make([]uint64, 3), 0
	for g.u64(8) < 1e9 && stack[0] == 0 {
		stack[0], stack[1], stack[2] = 1, 1, 8
		f.Call(g.s, g.m, stack)
		reads++
	}
	if reads != 1e9/wasi.Tick {
		t.Errorf("%d reads", reads)
	}
}

func TestClock_WallIsOfTheBatch(t *testing.T) {
	batch, now := false, int64(0)
	g := newGuest(t, wasi.Config{Wall: func() (int64, bool) {
		now += 10
		return now, batch
	}})
	read := func() uint64 {
		g.want(wasi.OK, "clock_time_get", 0, 1, 8)
		return g.u64(8)
	}
	if got := read(); got != wasi.Tick {
		t.Errorf("start-up: %d", got)
	}
	batch, now = true, 7e9
	if a, b := read(), read(); a != 7e9+10 || b != 7e9+20 {
		t.Errorf("batch: %d, %d", a, b)
	}
	g.sleep(5e9)
	if got := g.s.Wall(); got != 12e9+30 {
		t.Errorf("after a sleep: %d", got)
	}
	g.s.Begin()
	if got := read(); got != 7e9+40 {
		t.Errorf("the next batch begins at %d", got)
	}
}

func TestRandom_FillsAllOrNothing(t *testing.T) {
	source := strings.NewReader(strings.Repeat("r", 40))
	g := newGuest(t, wasi.Config{Random: source})
	g.want(wasi.EFAULT, "random_get", end-15, 16)
	g.want(wasi.EINVAL, "random_get", 0, wasi.MaxCall+1)
	g.want(wasi.EINVAL, "random_get", 0, math.MaxUint32)
	g.want(wasi.EFAULT, "random_get", math.MaxUint32, 2)
	if source.Len() != 40 {
		t.Fatalf("%d bytes are left after calls that failed", source.Len())
	}
	g.want(wasi.OK, "random_get", 0, 0)
	g.want(wasi.OK, "random_get", end-16, 16)
	if got := g.text(end-17, 17); got != "\x00rrrrrrrrrrrrrrrr" {
		t.Errorf("%q", got)
	}
	g.want(wasi.EIO, "random_get", 0, 30)
}

func TestProc_ExitUnwinds(t *testing.T) {
	defer func() {
		err, _ := recover().(error)
		var exit *sys.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("unwound with %v", err)
		}
	}()
	newGuest(t, wasi.Config{}).call("proc_exit", 3)
	t.Error("it returned")
}

func TestStubs_SayWhatIsMissing(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	g.want(wasi.OK, "sched_yield")
	g.want(wasi.ENOSYS, "proc_raise", 9)
	g.want(wasi.ENOSYS, "fd_fdstat_set_rights", 0, 0, 0)
	g.want(wasi.ENOTSUP, "sock_accept", 3, 0, 0)
	g.want(wasi.ENOTSUP, "sock_recv", 3, 0, 0, 0, 0, 0)
	g.want(wasi.ENOTSUP, "sock_send", 3, 0, 0, 0, 0)
	g.want(wasi.ENOTSUP, "sock_shutdown", 3, 0)
}

// failing takes so many bytes, then fails.
type failing struct{ room int }

func (f *failing) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	f.room -= n
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func TestWrite_Vectors(t *testing.T) {
	var out, errs bytes.Buffer
	g := newGuest(t, wasi.Config{Stdout: &out, Stderr: &errs})
	g.put(200, "hello, world")
	g.vector(100, 200, 5, math.MaxUint32, 0, 205, 7)
	g.want(wasi.OK, "fd_write", 1, 100, 3, 0)
	g.want(wasi.OK, "fd_write", 2, 116, 1, 4)
	if out.String() != "hello, world" || errs.String() != ", world" || g.u32(0) != 12 || g.u32(4) != 7 {
		t.Fatalf("%q, %q, %d, %d", out.String(), errs.String(), g.u32(0), g.u32(4))
	}
	out.Reset()
	g.vector(100, 200, 5, end-4, 5) // the second is faulty
	g.want(wasi.EFAULT, "fd_write", 1, 100, 2, 0)
	g.want(wasi.EFAULT, "fd_write", 1, 100, 1, end-3)
	g.want(wasi.EFAULT, "fd_write", 1, end-7, 1, 0)
	g.want(wasi.EFAULT, "fd_write", 1, math.MaxUint32-7, 1, 0)
	g.want(wasi.EINVAL, "fd_write", 1, 100, wasi.MaxVector+1, 0)
	g.want(wasi.EINVAL, "fd_write", 1, 100, 1<<29, 0) // eight times it is 2^32
	if out.Len() != 0 {
		t.Errorf("calls that failed wrote %q", out.String())
	}
	for _, fd := range []uint64{0, 3, 64, math.MaxUint32} {
		g.want(wasi.EBADF, "fd_write", fd, 100, 1, 0)
	}
	g.want(wasi.OK, "fd_write", 1, 100, 0, 0)
}

// A list may name the same bytes over and over, and lie in what is read.
func TestWrite_IsCapped(t *testing.T) {
	var out bytes.Buffer
	g := newGuest(t, wasi.Config{Stdout: &out})
	for i := range wasi.MaxVector {
		g.vector(8*i, 0, end)
	}
	g.want(wasi.OK, "fd_write", 1, 0, wasi.MaxVector, end-4)
	if out.Len() != wasi.MaxCall || g.u32(end-4) != wasi.MaxCall {
		t.Errorf("%d bytes, said to be %d", out.Len(), g.u32(end-4))
	}
}

func TestRead_MayOverwriteItsOwnList(t *testing.T) {
	bad := make([]byte, 16)
	le.PutUint32(bad[8:], end-1) // in place of the second buffer
	le.PutUint32(bad[12:], 100)
	g := newGuest(t, wasi.Config{Stdin: bytes.NewReader(append(bad, "rest"...))})
	g.vector(0, 0, 16, 200, 4)
	g.want(wasi.OK, "fd_read", 0, 0, 2, 100)
	if g.u32(100) != 16 {
		t.Errorf("%d bytes", g.u32(100))
	}
}

func TestWrite_FailsOnlyWithoutProgress(t *testing.T) {
	g := newGuest(t, wasi.Config{Stdout: &failing{room: 3}, Stdin: io.MultiReader()})
	g.vector(100, 200, 5, 200, 5)
	g.want(wasi.OK, "fd_write", 1, 100, 2, 0)
	if g.u32(0) != 3 {
		t.Errorf("%d bytes", g.u32(0))
	}
	g.want(wasi.EIO, "fd_write", 1, 100, 2, 0)
}

func TestRead_Stdin(t *testing.T) {
	g := newGuest(t, wasi.Config{Stdin: strings.NewReader("hello, world")})
	g.vector(100, 200, 5, 300, 100)
	g.want(wasi.EFAULT, "fd_read", 0, 100, 2, end-3)
	g.want(wasi.OK, "fd_read", 0, 100, 2, 0)
	if g.text(200, 5) != "hello" || g.text(300, 7) != ", world" || g.u32(0) != 12 {
		t.Errorf("%q, %q, %d", g.text(200, 5), g.text(300, 7), g.u32(0))
	}
	g.want(wasi.OK, "fd_read", 0, 100, 2, 0)
	if g.u32(0) != 0 {
		t.Errorf("%d bytes at the end", g.u32(0))
	}
	for _, fd := range []uint64{1, 2, 3, math.MaxUint32} {
		g.want(wasi.EBADF, "fd_read", fd, 100, 1, 0)
	}
	g = newGuest(t, wasi.Config{Stdin: iotest.OneByteReader(strings.NewReader("hello"))})
	g.vector(100, 200, 5, 300, 100)
	g.want(wasi.OK, "fd_read", 0, 100, 2, 0)
	if g.text(200, 2) != "h\x00" || g.u32(0) != 1 {
		t.Errorf("a short read went on: %q, %d", g.text(200, 5), g.u32(0))
	}
	g = newGuest(t, wasi.Config{Stdin: iotest.ErrReader(errors.New("broken"))})
	g.vector(100, 200, 5)
	g.want(wasi.EIO, "fd_read", 0, 100, 1, 0)
}
