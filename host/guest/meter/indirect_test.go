package meter_test

import (
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
)

// indirect has functions that call each other by a table: 0 calls the slot
// that it is given, 1 calls slot 1 (itself) for ever, 2 calls slot 2 with one
// less until it is 0, 3 fills the table.
var indirect = raw(
	sec(1, sig("i", "i"), sig("i", "i")), // equal types: one of them is called, the other is defined
	sec(3, op(0), op(0), op(0), op(0)),
	sec(4, op(0x70, 0, 3)),
	sec(7, export("slot", 0, 0), export("forever", 0, 1), export("down", 0, 2), export("fill", 0, 3)),
	sec(9, op(0, 0x41, 0, 0x0b, 3, 0, 1, 2)),
	sec(10,
		body(op(0x41, 0, 0x20, 0, 0x11, 1, 0)),
		body(op(0x20, 0, 0x41, 1, 0x11, 1, 0)),
		body(op(0x20, 0, 0x45, 0x04, 0x40, 0x41, 42, 0x0f, 0x0b, 0x20, 0, 0x41, 1, 0x6b, 0x41, 2, 0x11, 1, 0)),
		body(op(0x41, 0, 0xd2, 1, 0x41, 3, 0xfc, 17, 0, 0x41, 0, 0xd2, 1, 0x41, 3, 0xfc, 17, 0, 0x41, 1)),
	),
)

func TestRewrite_BoundsRecursionThroughTables(t *testing.T) {
	each(t, func(t *testing.T, o meter.Options) {
		o.Stack = 64 << 10
		w := start(t, indirect, o)
		w.want(t, "slot", []uint64{2}, 42)
		for range 3 {
			w.want(t, "down", []uint64{300}, 42)
		}
		w.wantEnd(t, errOverflow, "forever", 0)
		w.global(meter.ExportDepth).Set(0)
		w.wantEnd(t, errOverflow, "down", 1<<30)
		w.global(meter.ExportDepth).Set(0)
		w.stop(o)
		if o.Form != meter.Counted {
			w.wantEnd(t, errStopped, "down", 3)
		}
	})
}

// Two checks in a straight line must each look at the flag: the first tick
// here is one that goes on.
func TestRewrite_ChecksBeforeTableOperationsAreFresh(t *testing.T) {
	o := meter.Options{Form: meter.Patient}
	w := start(t, indirect, o)
	w.onTick = func() error { return nil }
	w.stop(o)
	w.want(t, "fill", []uint64{0}, 1)
	if w.ticks != 2 {
		t.Errorf("%d ticks, want 2", w.ticks)
	}
}
