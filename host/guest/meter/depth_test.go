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
// frame pays for what runs then, or the run itself is checked.
func TestRewrite_RecursionPaysForItsWayBack(t *testing.T) {
	nops := func(n int) []byte { return bytes.Repeat([]byte{1}, n) }
	deep := func(code ...[]byte) int {
		m := New()
		m.ExportFunc("down", "i", "", "", Get(0), Eqz, If, Return, End, Get(0), Const(1), Sub, Call(0), Code(code...))
		o := meter.Options{}
		w := start(t, m.Bytes(), o)
		n := 0
		for step := 1 << 16; step > 0; step /= 2 {
			w.global(meter.ExportDepth).Set(0)
			if _, err := w.call("down", uint64(n+step)); err == nil {
				n += step
			}
		}
		return n
	}
	short, long := deep(), deep(nops(32*1000))
	if short < 10_000 {
		t.Errorf("a small frame recurses %d times in 1 MiB", short)
	}
	if most := 1 << 20 / 1000; long > most || long < most/2 {
		t.Errorf("a frame with 32,000 instructions behind its call recurses %d times, want about %d", long, most)
	}
	if checked := deep(nops(32*1000), Loop, End); checked < 10_000 {
		t.Errorf("a frame that is checked on its way back recurses %d times", checked)
	}
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
