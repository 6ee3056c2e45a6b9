package meter_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

// A chain of calls without a cycle needs no budget while its frames are
// small, and one in every 64 KiB of frames when they are not.
func TestRewrite_LongChainsHaveABudget(t *testing.T) {
	chain := func(n int, locals string) []byte {
		m := New()
		last := m.Func("f0", "", "", locals)
		for i := range n {
			last = m.Func(fmt.Sprint("f", i+1), "", "", locals, Call(last))
		}
		m.Export("chain", 0, last)
		return m.Bytes()
	}
	small, large := chain(100, ""), chain(100, string(bytes.Repeat([]byte("i"), 2000)))
	each(t, func(t *testing.T, o meter.Options) {
		if n := rewrite(t, small, o).Budgeted; n != 0 {
			t.Errorf("%d functions of a small chain have a budget", n)
		}
		w := start(t, large, o)
		if n := w.result.Budgeted; n < 20 || n > 26 { // 101 frames of 16,032 bytes, 5 to pass 64 KiB
			t.Errorf("%d functions of a large chain have a budget", n)
		}
		w.wantEnd(t, errOverflow, "chain") // 1.6 MB
		o.Stack = 2 << 20
		start(t, large, o).want(t, "chain", nil)
	})
}

// On the way back from a recursion there are no entries and no loops: the
// frame pays for what runs then, or is checked behind its call.
func TestRewrite_RecursionPaysForItsWayBack(t *testing.T) {
	nops := func(n int) []byte { return bytes.Repeat([]byte{1}, n) }
	down := func(code ...[]byte) []byte {
		m := New()
		m.ExportFunc("down", "i", "", "", Get(0), Eqz, If, Return, End, Get(0), Const(1), Sub, Call(0), Code(code...))
		return m.Bytes()
	}
	deep := func(wasm []byte) int {
		w := start(t, wasm, meter.Options{})
		n := 0
		for step := 1 << 16; step > 0; step /= 2 {
			w.global(meter.ExportDepth).Set(0)
			if _, err := w.call("down", uint64(n+step)); err == nil {
				n += step
			}
		}
		return n
	}
	short, middle, long := down(), down(nops(960)), down(nops(32*1000))
	free := deep(short)
	if free < 10_000 {
		t.Errorf("a small frame recurses %d times in 1 MiB", free)
	}
	if paid := deep(middle); paid > free*9/10 || paid < free/2 {
		t.Errorf("a frame with 960 instructions behind its call recurses %d times, without them %d times", paid, free)
	}
	if checked := deep(long); checked < free*9/10 {
		t.Errorf("a frame that is checked on its way back recurses %d times, without checks %d times", checked, free)
	}
	each(t, func(t *testing.T, o meter.Options) {
		want := 1
		if o.Form == meter.Counted { // paid at its entry
			want = 0
		}
		if more := rewrite(t, long, o).Checks - rewrite(t, short, o).Checks; more != want {
			t.Errorf("32,000 instructions behind a call have %d checks, want %d", more, want)
		}
	})
}

// Callees that run long behind their last check add up until one is checked.
func TestRewrite_ChecksWhatReturnsLate(t *testing.T) {
	tail := bytes.Repeat([]byte{1}, 60_000)
	m := New()
	last := m.Func("f0", "", "", "", Loop, End, tail)
	for i := range 8 {
		last = m.Func(fmt.Sprint("f", i+1), "", "", "", Call(last), tail)
	}
	m.Export("run", 0, last)
	if n := rewrite(t, m.Bytes(), meter.Options{}).Checks; n < 4 || n > 10 {
		t.Errorf("%d checks over 540,000 instructions", n)
	}
}

// Every member of a cycle has a budget, and nobody else.
func TestRewrite_MembersOfCyclesHaveABudget(t *testing.T) {
	const ring = 5
	m := New()
	for i := range uint32(ring) {
		m.Func(fmt.Sprint("ring", i), "", "", "", Call((i+1)%ring), Call(ring))
	}
	m.Func("below", "", "", "")
	m.ExportFunc("above", "", "", "", Call(2))
	r := rewrite(t, m.Bytes(), meter.Options{})
	if r.Budgeted != ring || r.EntryChecks != 1 {
		t.Errorf("%d functions have a budget and %d a check at their entry, want %d and 1", r.Budgeted, r.EntryChecks, ring)
	}
}
