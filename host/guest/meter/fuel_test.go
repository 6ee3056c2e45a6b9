package meter_test

import (
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestCounted_TheMeasureIsExact(t *testing.T) {
	m := New()
	m.Memory(80)
	m.ExportFunc("nothing", "", "", "")                                                          // end
	m.ExportFunc("branch", "i", "", "", Get(0), If, Const(1), Drop, End)                         // 6, taken or not
	m.ExportFunc("loop", "i", "", "", Loop, Get(0), Const(1), Sub, Set(0), Get(0), BrIf(0), End) // 2 and 7 a pass
	m.ExportFunc("calls", "", "", "", Call(0), Call(0))                                          // 3 and 2 callees
	m.ExportFunc("inner", "i", "", "i", Loop, Loop, End, Get(0), Const(1), Sub, Set(0), Get(0), BrIf(0), End)
	m.ExportFunc("fill", "i", "", "", Const(0), Const(1), Get(0), op(0xfc, 11, 0))
	m.ExportFunc("copy", "i", "", "", Const(0), Const(1), Get(0), op(0xfc, 10, 0, 0))
	o := meter.Options{Form: meter.Counted}
	w := start(t, m.Bytes(), o)
	for _, tt := range []struct {
		name   string
		params []uint64
		cost   int64
	}{
		{"nothing", nil, 1},
		{"branch", []uint64{0}, 6},
		{"branch", []uint64{1}, 6},
		{"loop", []uint64{1}, 2 + 7},
		{"loop", []uint64{100}, 2 + 100*7},
		{"calls", nil, 3 + 2},
		{"inner", []uint64{10}, 2 + 10*(8+1)},
		{"fill", []uint64{15}, 5},
		{"fill", []uint64{1600}, 5 + 100},
		{"fill", []uint64{3 << 20}, 5 + 3<<16},
		{"copy", []uint64{160}, 5 + 10},
	} {
		for range 2 { // the same each time
			w.refuel(o, 1<<30)
			w.want(t, tt.name, tt.params)
			if got := w.used(1 << 30); got != tt.cost {
				t.Errorf("%s(%d) costs %d, want %d", tt.name, tt.params, got, tt.cost)
			}
		}
		w.refuel(o, tt.cost)
		w.want(t, tt.name, tt.params)
		w.refuel(o, tt.cost-1)
		w.wantEnd(t, errStopped, tt.name, tt.params...)
	}
}

func TestCounted_StopsBeforeTheWorkIsDone(t *testing.T) {
	m := New()
	m.Memory(80)
	m.ExportFunc("fill", "i", "", "", Const(0), Const(1), Get(0), op(0xfc, 11, 0))
	o := meter.Options{Form: meter.Counted}
	w := start(t, m.Bytes(), o)
	w.refuel(o, 100)
	w.wantEnd(t, errStopped, "fill", 1<<20)
	if b, _ := w.Memory().ReadByte(0); b != 0 {
		t.Error("it was filled without fuel")
	}
}

func TestCounted_NothingRunsUntilTheHostGivesFuel(t *testing.T) {
	m := New()
	m.ExportFunc("nothing", "", "", "")
	o := meter.Options{Form: meter.Counted}
	w := start(t, m.Bytes(), o)
	w.refuel(o, 0)
	w.wantEnd(t, errStopped, "nothing")
}
