package wasi_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

// often are the calls that a guest makes without end.
var often = []struct {
	name string
	args []uint64
}{
	{"clock_time_get", []uint64{1, 1, 8}},
	{"random_get", []uint64{1000, 32}},
	{"fd_write", []uint64{1, 100, 2, 0}},
	{"fd_read", []uint64{0, 100, 2, 0}},
	{"poll_oneoff", []uint64{pollIn, pollOut, 1, 0}},
	{"sched_yield", nil},
}

func oftenGuest(t testing.TB) *guest {
	g := newGuest(t, wasi.Config{Stdout: io.Discard, Stdin: bytes.NewReader(nil), Random: zeros{}})
	g.vector(100, 200, 40, 300, 1)
	g.subscribe(0, 1, 0, 1, 10, 0)
	return g
}

func TestCalls_DoNotAllocate(t *testing.T) {
	g := oftenGuest(t)
	for _, c := range often {
		f, stack := function(t, c.name), make([]uint64, 8)
		if n := testing.AllocsPerRun(100, func() {
			copy(stack, c.args)
			f.Call(g.s, g.m, stack)
		}); n != 0 || stack[0] != 0 {
			t.Errorf("%s: %v allocations, errno %d", c.name, n, stack[0])
		}
	}
}

func BenchmarkCall(b *testing.B) {
	g := oftenGuest(b)
	for _, c := range often {
		b.Run(c.name, func(b *testing.B) {
			f, stack := function(b, c.name), make([]uint64, 8)
			for b.Loop() {
				copy(stack, c.args)
				f.Call(g.s, g.m, stack)
			}
		})
	}
}
