package meter_test

import (
	"bytes"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

// again is a module of loops that are left in every way: each function takes
// how many passes are left, counts in its local 1 and returns that and more.
var again = raw(
	sec(1, sig("i", "i"), sig("", "ii")),
	sec(3, op(0), op(0), op(0), op(0), op(0)),
	sec(7, export("results", 0, 0), export("table", 0, 1), export("within", 0, 2), export("returns", 0, 3), export("around", 0, 4)),
	sec(10,
		// 0: an operand below, two results, left at the end and by br.
		bodyWith(op(1, 1, 0x7f), op(0x41, 0xc0, 0, // i32.const 64
			0x02, 1, 0x03, 1), countDown, op(0x04, 0x40, 0x0c, 1, 0x0b, // if br 1 (again) end
			0x41, 1, 0x20, 1, 0x20, 1, 0x41, 2, 0x71, 0x0d, 1, // 1, passes; if passes & 2 br_if 1
			0x0b, 0x0b, 0x6a, 0x6a)), // i32.add, i32.add
		// 1: left by a br_table, to two blocks outside; it goes on by the same.
		bodyWith(op(1, 1, 0x7f), op(0x02, 0x40, 0x02, 0x40, 0x03, 0x40), countDown, op(0x0e, 3, 2, 0, 0, 1, // br_table 2 0 0 (default 1)
			0x0b, 0x0b, 0x20, 1, 0x0f, 0x0b, 0x20, 1, 0x41, 0xe4, 0, 0x6a)), // else passes; + 100
		// 2: blocks within the loop, whose labels stay.
		bodyWith(op(1, 1, 0x7f), op(0x03, 0x40, 0x02, 0x40, 0x02, 0x40), countDown, op(0x0d, 0, 0x0c, 1, 0x0b, 0x0c, 1, 0x0b, 0x0b, 0x20, 1)),
		// 3: a member of a cycle, so that it has a budget, returns from within.
		bodyWith(op(1, 1, 0x7f), op(0x03, 0x40), countDown, op(0x45, 0x04, 0x40, 0x20, 1, 0x0f, 0x0b, 0x20, 0, 0x41, 0xe7, 0, 0x46,
			0x04, 0x40, 0x41, 0, 0x10, 3, 0x0f, 0x0b, 0x0c, 0, 0x0b, 0x00)),
		// 4: a loop around it, which the inner one goes on with.
		bodyWith(op(2, 1, 0x7f, 1, 0x7f), op(0x03, 0x40, 0x03, 0x40, 0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x41, 3, 0x70, 0x0d, 0), // thrice
			countDown, op(0x0d, 1, 0x0b, 0x0b, 0x20, 2)),
	),
)

// countDown counts in local 1 and leaves local 0 less one on the stack.
var countDown = op(0x20, 1, 0x41, 1, 0x6a, 0x21, 1, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0)

func TestRewrite_LeavesLoopsAsTheOriginalDid(t *testing.T) {
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, again, o)
		w.onTick = func() error {
			w.global(meter.ExportFlag).Set(0)
			return nil
		}
		for _, tt := range []struct {
			name   string
			passes uint64
			result uint64
		}{
			{"results", 2, 64 + 1 + 2},
			{"results", 5, 64 + 1 + 5},
			{"table", 1, 101}, // 0 leads to label 2
			{"table", 3, 103}, // 2 goes on; 1 goes on; 0
			{"table", 9, 1},   // the default
			{"within", 6, 6},
			{"returns", 3, 3},
			{"around", 4, 12},
		} {
			if o.Form == meter.Patient {
				w.global(meter.ExportFlag).Set(1)
			}
			w.want(t, tt.name, []uint64{tt.passes}, tt.result)
		}
		if o.Form == meter.Patient && w.ticks != 8 {
			t.Errorf("%d ticks of 8 calls with the flag set", w.ticks)
		}
	})
}

// A tick that leaves the flag set is called again before the loop goes on.
func TestPatient_TicksUntilTheFlagIsClear(t *testing.T) {
	o := meter.Options{Form: meter.Patient}
	w := start(t, again, o)
	w.onTick = func() error {
		if w.ticks == 5 {
			w.global(meter.ExportFlag).Set(0)
		}
		return nil
	}
	w.stop(o)
	w.want(t, "within", []uint64{6}, 6)
	if w.ticks != 5 {
		t.Errorf("%d ticks, want 5", w.ticks)
	}
}

// What entering again costs the compiler is bounded: by the loops of a
// function, and because it is never one loop within another.
func TestPatient_FewLoopsAreEnteredAgain(t *testing.T) {
	blocks := func(code []byte) (n int) {
		m := New()
		m.ExportFunc("f", "i", "", "", code)
		r := parse(t, rewrite(t, m.Bytes(), meter.Options{Form: meter.Patient}).Wasm)
		c := r.Code(&r.Bodies[0])
		for in := (wasm.Instr{}); c.Next(&in); {
			if in.Op == wasm.OpLoop {
				n++
			}
		}
		return n
	}
	loop := Code(Loop, Get(0), BrIf(0), End)
	for _, tt := range []struct {
		name  string
		code  []byte
		loops int
	}{
		{"one", loop, 2},
		{"64", bytes.Repeat(loop, 64), 128},
		{"1,000", bytes.Repeat(loop, 1000), 1064},
		{"nested", Code(bytes.Repeat(Loop, 100), bytes.Repeat(End, 100)), 101},
		{"two in one", Code(Loop, loop, loop, End), 5},
	} {
		if got := blocks(tt.code); got != tt.loops {
			t.Errorf("%s: %d loops, want %d", tt.name, got, tt.loops)
		}
	}
}

// A tick of a loop is at the loop, what traps in one is where it was.
func TestOffsetMap_KnowsLoopsThatAreEnteredAgain(t *testing.T) {
	m := New()
	m.Memory(1)
	m.ExportFunc("tick", "i", "", "", Get(0), Drop, Block, Loop, Get(0), BrIf(1), End, End)
	m.ExportFunc("trap", "i", "", "", Block, Loop, Get(0), Eqz, BrIf(1), op(0x41, 0, 0x0e, 1, 1, 0), End, End, Get(0), Load8(1<<20), Drop)
	m.ExportFunc("within", "i", "", "", Block, Loop, Get(0), Eqz, BrIf(1), Get(0), Load8(1<<20), Drop, End, End)
	b := m.Bytes()
	original := parse(t, b)
	o := meter.Options{Form: meter.Patient, Lines: true}
	w := start(t, b, o)
	at, err := meter.OffsetMap(original, o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.call("trap", 1)
	wantOps(t, original, at, err, wasm.Op(0x2d))
	_, err = w.call("within", 1)
	wantOps(t, original, at, err, wasm.Op(0x2d))
	w.stop(o)
	_, err = w.call("tick", 1)
	wantOps(t, original, at, err, wasm.OpLoop)
}
