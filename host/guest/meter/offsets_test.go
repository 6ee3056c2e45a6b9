package meter_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

var frameLine = regexp.MustCompile(`0x([0-9a-f]+): w`)

// Every frame of a stack trace leads to the instruction of the original.
func TestOffsetMap_LeadsToTheOriginal(t *testing.T) {
	m := New()
	m.Memory(1)
	far := m.Func("far", "i", "", "", Loop, End, Get(0), Load(0), Drop, Get(0), Load8(1<<20), Drop)
	deep := m.Func("deep", "i", "", "", Get(0), Eqz, If, Const(1), Call(far), End, Get(0), Const(1), Sub, Call(1), Get(0), Drop)
	m.ExportFunc("run", "i", "", "", Loop, Const(0), BrIf(0), End, Get(0), Call(deep), Const(0), Drop)
	m.ExportFunc("fill", "", "", "", Const(0), Const(0), Const(1<<20), op(0xfc, 11, 0))
	m.ExportFunc("spin", "", "", "", Block, Loop, Loop, Const(0), BrIf(1), Const(1), BrIf(0), End, Br(0), End, End)
	m.ExportFunc("turn", "", "", "", Block, Loop, Const(1), BrIf(0), End, End)
	b := m.Bytes()
	original := parse(t, b)
	each(t, func(t *testing.T, o meter.Options) {
		o.Lines = true
		w := start(t, b, o)
		at, err := meter.OffsetMap(original, o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.call("run", 2)
		wantOps(t, original, at, err, wasm.Op(0x2d), wasm.OpCall, wasm.OpCall, wasm.OpCall, wasm.OpCall)
		_, err = w.call("fill")
		wantOps(t, original, at, err, 0, wasm.OpMemoryFill)
		if o.Form != meter.Patient { // which alone is stopped for good in a loop
			return
		}
		w.stop(o)
		_, err = w.call("spin")
		wantOps(t, original, at, err, wasm.OpBr)
		w.stop(o)
		_, err = w.call("turn")
		wantOps(t, original, at, err, wasm.OpBrIf)
	})
}

// wantOps compares the instructions that the frames of a trap stand at, the
// innermost first; 0 is one of the host's own. Behind a call the engine names
// the call or what comes next.
func wantOps(t *testing.T, m *wasm.Module, at *meter.Map, trap error, ops ...wasm.Op) {
	t.Helper()
	if trap == nil {
		t.Fatal("no trap")
	}
	frames := frameLine.FindAllStringSubmatch(trap.Error(), -1)
	if len(frames) != len(ops) {
		t.Fatalf("%d frames with offsets, want %d:\n%v", len(frames), len(ops), trap)
	}
	for i, f := range frames {
		n, _ := strconv.ParseInt(f[1], 16, 64)
		original, ok := at.Offset(int(n))
		if ok != (ops[i] != 0) {
			t.Errorf("frame %d: offset %#x: %v", i, n, ok)
			continue
		}
		if op := opAt(m, original); ok && op != ops[i] {
			t.Errorf("frame %d: offset %#x is %#x of the original, where %#x is, want %#x", i, n, original, uint32(op), uint32(ops[i]))
		}
	}
}

// opAt returns the instruction at an offset of the code section.
func opAt(m *wasm.Module, offset int) wasm.Op {
	for _, s := range m.Sections {
		if s.ID == wasm.SecCode {
			offset += s.Start
		}
	}
	for i := range m.Bodies {
		code := m.Code(&m.Bodies[i])
		for in := (wasm.Instr{}); code.Next(&in); {
			if in.Offset == offset {
				return in.Op
			}
		}
	}
	return ^wasm.Op(0)
}

// Every instruction that is copied maps to itself, and every offset maps into
// the code or to nothing.
func TestOffsetMap_CoversTheCode(t *testing.T) {
	original := parse(t, shapes)
	code := 0
	for _, s := range original.Sections {
		if s.ID == wasm.SecCode {
			code = s.Start
		}
	}
	each(t, func(t *testing.T, o meter.Options) {
		at, err := meter.OffsetMap(original, o)
		if err != nil {
			t.Fatal(err)
		}
		r := parse(t, rewrite(t, shapes, o).Wasm)
		rewritten := 0
		for _, s := range r.Sections {
			if s.ID == wasm.SecCode {
				rewritten = s.Start
			}
		}
		seen := map[int]bool{}
		for i := range r.Bodies {
			c := r.Code(&r.Bodies[i])
			for in := (wasm.Instr{}); c.Next(&in); {
				got, ok := at.Offset(in.Offset - rewritten)
				if !ok || got < original.Bodies[i].Code-code || got >= original.Bodies[i].End-code {
					t.Fatalf("body %d, offset %d maps to %d, %v", i, in.Offset-rewritten, got, ok)
				}
				seen[got] = true
			}
		}
		for i := range original.Bodies {
			c := original.Code(&original.Bodies[i])
			for in := (wasm.Instr{}); c.Next(&in); {
				if !seen[in.Offset-code] {
					t.Errorf("nothing maps to %#x at %d", uint32(in.Op), in.Offset-code)
				}
			}
		}
		if _, ok := at.Offset(0); ok {
			t.Error("offset 0 maps to something")
		}
		if _, ok := at.Offset(1 << 20); ok {
			t.Error("an offset behind the code maps to something")
		}
	})
}
