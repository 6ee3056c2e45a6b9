package meter_test

import (
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestRewrite_StopsLoops(t *testing.T) {
	m := New()
	m.ExportFunc("loop", "", "", "", Loop, Br(0), End)
	m.ExportFunc("count", "i", "i", "i", Loop, Get(1), Const(1), Add, Set(1), Get(1), Get(0), Ne, BrIf(0), End, Get(1))
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, m.Bytes(), o)
		w.want(t, "count", []uint64{1000}, 1000)
		w.stop(o)
		w.wantEnd(t, errStopped, "loop")
		w.stop(o)
		w.wantEnd(t, errStopped, "count", 1<<31)
	})
}

func TestRewrite_StopsACallTreeWithoutLoops(t *testing.T) {
	m := New()
	last := m.Func("f0", "", "", "", Block, End)
	for i := range 33 {
		last = m.Func(fmt.Sprint("f", i+1), "", "", "", Call(last), Call(last))
	}
	m.Export("tree", 0, last)
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, m.Bytes(), o)
		w.stop(o)
		w.wantEnd(t, errStopped, "tree")
		if o.Form != meter.Counted && w.result.Checks > 40 {
			t.Errorf("%d checks for 34 functions", w.result.Checks)
		}
	})
}

func TestRewrite_BoundsRecursion(t *testing.T) {
	m := New()
	self := m.ExportFunc("self", "i", "i", "", Get(0), Eqz, If, Const(7), Return, End, Get(0), Const(1), Sub, Call(0))
	m.ExportFunc("even", "i", "i", "", Get(0), Eqz, If, Const(1), Return, End, Get(0), Const(1), Sub, Call(self+2))
	m.ExportFunc("odd", "i", "i", "", Get(0), Eqz, If, Const(0), Return, End, Get(0), Const(1), Sub, Call(self+1))
	each(t, func(t *testing.T, o meter.Options) {
		o.Stack = 64 << 10
		w := start(t, m.Bytes(), o)
		for range 3 { // the budget is given back
			w.want(t, "self", []uint64{500}, 7)
			w.want(t, "even", []uint64{501}, 0)
		}
		if depth := w.global(meter.ExportDepth).Get(); depth != 0 {
			t.Errorf("the depth is %d between calls", depth)
		}
		for _, name := range []string{"self", "even"} {
			w.global(meter.ExportDepth).Set(0)
			w.wantEnd(t, errOverflow, name, 1<<31)
		}
	})
}

func TestRewrite_PatientGoesOn(t *testing.T) {
	m := New()
	m.ExportFunc("count", "i", "i", "i", Loop, Get(1), Const(1), Add, Set(1), Get(1), Get(0), Ne, BrIf(0), End, Get(1))
	o := meter.Options{Form: meter.Patient}
	w := start(t, m.Bytes(), o)
	w.onTick = func() error {
		if w.ticks == 3 {
			w.global(meter.ExportFlag).Set(0)
		}
		return nil
	}
	w.stop(o)
	w.want(t, "count", []uint64{1000}, 1000)
	if w.ticks != 3 {
		t.Errorf("%d ticks, want 3", w.ticks)
	}
}
