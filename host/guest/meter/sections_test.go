package meter_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// wantError rewrites what must be refused with a text.
func wantError(t *testing.T, b []byte, o meter.Options, text string) {
	t.Helper()
	_, err := meter.Rewrite(parse(t, b), o)
	var fault *wasm.Error
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want %q", err, text)
	}
}

func TestRewrite_MovesFunctions(t *testing.T) {
	// Functions: 0 = 7, 1 = what the table holds at i, 2 = start, which sets
	// global 0 to 5, 3 = what a reference in a global leads to.
	b := raw(
		sec(1, sig("", ""), sig("", "i"), sig("i", "i")),
		sec(3, op(1), op(2), op(0), op(1)),
		sec(4, op(0x70, 0, 4)),
		sec(6, op(0x7f, 1, 0x41, 1, 0x0b), op(0x7f, 0, 0x41, 3, 0x0b), op(0x70, 0, 0xd2, 0, 0x0b)),
		sec(7, export("seven", 0, 0), export("held", 0, 1), export("global", 3, 0), export("ref", 0, 3)),
		op(8, 1, 2),
		sec(9, op(0, 0x41, 0, 0x0b, 1, 0), // active: slot 0
			op(4, 0x41, 1, 0x0b, 1, 0xd2, 0, 0x0b),          // active, expressions: slot 1
			op(6, 0, 0x41, 2, 0x0b, 0x70, 1, 0xd2, 0, 0x0b), // active, with its table and type: slot 2
			op(1, 0, 1, 0), op(3, 0, 1, 3), op(5, 0x70, 1, 0xd0, 0x70, 0x0b)),
		sec(10, body(op(0x41, 7)), body(op(0x20, 0, 0x11, 1, 0)), body(op(0x41, 5, 0x24, 0)),
			body(op(0x41, 3, 0x23, 2, 0x26, 0, 0x41, 3, 0x11, 1, 0))),
	)
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, b, o)
		if w.result.Start != meter.ExportStart {
			t.Fatalf("start is %q", w.result.Start)
		}
		if got := w.ExportedGlobal("global").Get(); got != 1 {
			t.Errorf("the global is %d before the start function ran", got)
		}
		w.want(t, meter.ExportStart, nil)
		if got := w.ExportedGlobal("wasmill:g0").Get(); got != 5 {
			t.Errorf("the global is %d after the start function ran", got)
		}
		w.want(t, "seven", nil, 7)
		for i := range uint64(3) {
			w.want(t, "held", []uint64{i}, 7)
		}
		w.want(t, "ref", nil, 7)
		if g := w.result.Globals; len(g) != 1 || g[0] != (meter.Global{Export: "wasmill:g0", Type: wasm.I32}) {
			t.Errorf("globals %v", g)
		}
	})
}

func TestRewrite_CapsTablesAndMemories(t *testing.T) {
	module := func(table, memory []byte) []byte { return raw(sec(4, append([]byte{0x70}, table...)), sec(5, memory)) }
	tests := []struct {
		table, memory []byte
		maxT, maxM    uint32
		refused       string
	}{
		{op(0, 1), op(0, 1), 10, 20, ""},
		{op(1, 1, 5), op(1, 1, 6), 5, 6, ""},
		{op(1, 1, 50), op(1, 1, 60), 10, 20, ""},
		{op(0, 10), op(0, 20), 10, 20, ""},
		{op(0, 11), op(0, 1), 0, 0, "table section, byte 12: a table begins with 11 entries, at most 10 are allowed"},
		{op(0, 1), op(0, 21), 0, 0, "memory section, byte 17: a memory begins with 21 pages, at most 20 are allowed"},
	}
	for _, tt := range tests {
		o := meter.Options{MaxTable: 10, MaxMemory: 20}
		if tt.refused != "" {
			wantError(t, module(tt.table, tt.memory), o, tt.refused)
			continue
		}
		m := parse(t, rewrite(t, module(tt.table, tt.memory), o).Wasm)
		if l := m.Tables[0].Limits; !l.HasMax || l.Max != tt.maxT {
			t.Errorf("table of %v has limits %+v", tt.table, l)
		}
		if l := m.Memories[0]; !l.HasMax || l.Max != tt.maxM {
			t.Errorf("memory of %v has limits %+v", tt.memory, l)
		}
	}
}

func TestRewrite_HandsDataOver(t *testing.T) {
	b := raw(
		sec(1, sig("iii", "")), sec(3, op(0)), sec(5, op(0, 1)), sec(7, export("init", 0, 0), export("memory", 2, 0)),
		op(12, 1, 3),
		sec(10, body(op(0x20, 0, 0x20, 1, 0x20, 2, 0xfc, 8, 1, 0))),
		sec(11, op(0, 0x41, 8, 0x0b, 2, 'a', 'b'), op(1, 3, 'x', 'y', 'z'), op(2, 0, 0x41, 9, 0x0b, 1, 'c')),
	)
	r := rewrite(t, b, meter.Options{})
	if len(r.Data) != 2 || r.Data[0].At != 8 || string(r.Data[0].Bytes) != "ab" || r.Data[1].At != 9 || string(r.Data[1].Bytes) != "c" {
		t.Errorf("data %v", r.Data)
	}
	for _, keep := range []bool{false, true} {
		w := start(t, b, meter.Options{KeepData: keep})
		w.want(t, "init", []uint64{11, 1, 2})
		if got, _ := w.Memory().Read(8, 5); string(got) != "ac\x00yz" {
			t.Errorf("keep %v: memory holds %q", keep, got)
		}
		w.wantTrap(t, "out of bounds memory access", "init", 11, 2, 2)
	}
	far := raw(sec(5, op(0, 1)), sec(11, op(0, 0x41, 0xff, 0xff, 3, 0x0b, 2, 'a', 'b')))
	wantError(t, far, meter.Options{}, "data section, byte 16: a segment of 2 bytes at address 65535, but the memory begins with 65536 bytes")
	negative := raw(sec(5, op(0, 1)), sec(11, op(0, 0x41, 0x7f, 0x0b, 2, 'a', 'b')))
	wantError(t, negative, meter.Options{}, "a segment of 2 bytes at address 4294967295")
	computed := raw(sec(5, op(0, 1)), sec(6, op(0x7f, 0, 0x41, 1, 0x0b)), sec(11, op(0, 0x23, 0, 0x0b, 1, 'a')))
	wantError(t, computed, meter.Options{}, "a segment whose place is not a constant")
	if r := rewrite(t, computed, meter.Options{KeepData: true}); len(r.Data) != 0 {
		t.Errorf("data %v handed over and kept", r.Data)
	}
}

// Without a data count no instruction may name a segment, so none is left.
func TestRewrite_DropsDataThatNothingRefersTo(t *testing.T) {
	data := sec(11, op(0, 0x41, 8, 0x0b, 2, 'a', 'b'), op(1, 3, 'x', 'y', 'z'))
	b := raw(sec(5, op(0, 1)), sec(7, export("memory", 2, 0)), data)
	for _, keep := range []bool{false, true} {
		r := rewrite(t, b, meter.Options{KeepData: keep})
		if m := parse(t, r.Wasm); len(m.Data) == 0 == keep {
			t.Errorf("keep %v: %d segments are left", keep, len(m.Data))
		}
		w := start(t, b, meter.Options{KeepData: keep})
		if got, _ := w.Memory().Read(8, 3); string(got) != "ab\x00" {
			t.Errorf("keep %v: memory holds %q", keep, got)
		}
	}
	invalid := rewrite(t, raw(sec(1, sig("", "")), sec(3, op(0)), sec(5, op(0, 1)),
		sec(10, body(op(0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 8, 0, 0))), data), meter.Options{})
	rt := wazero.NewRuntime(t.Context())
	if _, err := rt.CompileModule(t.Context(), invalid.Wasm); err == nil || !strings.Contains(err.Error(), "data") {
		t.Errorf("memory.init without a data count: error %v", err)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRewrite_RefusesAStartWithParameters(t *testing.T) {
	wantError(t, raw(sec(1, sig("i", "")), sec(3, op(0)), op(8, 1, 0), sec(10, body())), meter.Options{}, "has parameters")
}

func TestRewrite_KeepsNamesOfFunctionsAlone(t *testing.T) {
	names := op(0, 2, 1, 'm', 1, 7, 2, 0, 1, 'a', 1, 1, 'b', 2, 1, 0)
	for _, tt := range []struct {
		names []byte
		want  []string
	}{
		{names, []string{"a", "b", "memory.fill"}},
		{op(1, 7, 2, 0, 1, 'a', 9, 1, 'b'), nil},    // a function that is not there
		{op(1, 7, 2, 1, 1, 'a', 0, 1, 'b'), nil},    // out of order
		{op(1, 9, 2, 0, 1, 'a', 1, 1, 'b'), nil},    // too long
		{op(1, 7, 2, 0, 1, 'a', 1, 1, 0xff), nil},   // no UTF-8
		{op(1, 8, 2, 0, 1, 'a', 1, 1, 'b', 1), nil}, // more than names
	} {
		b := raw(sec(1, sig("", "")), sec(3, op(0), op(0)), sec(5, op(0, 1)),
			sec(10, body(), body(op(0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 11, 0))), custom("other", 1, 2), custom("name", tt.names...))
		m := parse(t, rewrite(t, b, meter.Options{}).Wasm)
		var got []string
		m.FunctionNames(func(f uint32, name []byte) {
			if int(f) != len(got)+1 { // behind tick
				t.Errorf("%q is of function %d", name, f)
			}
			got = append(got, string(name))
		})
		if strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("names %q, want %q", got, tt.want)
		}
		if _, ok := m.Custom("other"); ok {
			t.Error("a custom section was kept")
		}
	}
}

func TestResult_WholeSaysWhatAnImageMisses(t *testing.T) {
	tests := map[string]bool{
		"\x01":                                     true,
		"\x41\x00\xd0\x70\x26\x00":                 false, // table.set
		"\x41\x00\xd0\x70\x41\x00\xfc\x11\x00":     false, // table.fill
		"\xd0\x70\x41\x00\xfc\x0f\x00\x1a":         false, // table.grow
		"\x41\x00\x41\x00\x41\x00\xfc\x0e\x00\x00": false, // table.copy
		"\x41\x00\x41\x00\x41\x00\xfc\x0c\x00\x00": false, // table.init
		"\xfc\x0d\x00":                             false, // elem.drop
		"\xfc\x09\x00":                             false, // data.drop
		"\x41\x00\x41\x00\x41\x00\xfc\x08\x00\x00": true,
		"\x41\x00\x25\x00\x1a":                     true, // table.get
	}
	for code, want := range tests {
		b := raw(sec(1, sig("", "")), sec(3, op(0)), sec(4, op(0x70, 0, 1)), sec(5, op(0, 1)), sec(9, op(1, 0, 0)), op(12, 1, 1),
			sec(10, body([]byte(code))), sec(11, op(1, 0)))
		if r := rewrite(t, b, meter.Options{}); r.Whole != want {
			t.Errorf("%x: whole is %v", code, r.Whole)
		}
	}
	reference := raw(sec(6, op(0x70, 1, 0xd0, 0x70, 0x0b), op(0x7e, 1, 0x42, 1, 0x0b)))
	if r := rewrite(t, reference, meter.Options{}); r.Whole || len(r.Globals) != 1 || r.Globals[0].Export != "wasmill:g1" {
		t.Errorf("a mutable reference: whole %v, globals %v", r.Whole, r.Globals)
	}
}
