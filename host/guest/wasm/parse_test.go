package wasm_test

import (
	"reflect"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasm"
)

// everything is a module with one of each thing that a module may have.
var everything = head +
	section(0, "\x04name", "\x01\x02") +
	section(1, "\x03\x60\x00\x00\x60\x02\x7f\x7e\x01\x7d\x60\x01\x7b\x02\x70\x6f") +
	section(2, "\x04",
		"\x01a\x01f\x00\x01",
		"\x01a\x01t\x01\x70\x01\x02\x09",
		"\x01a\x01m\x02\x00\x03",
		"\x01a\x01g\x03\x7e\x00") +
	section(3, "\x02\x00\x01") +
	section(4, "\x01\x6f\x00\x07") +
	section(6, "\x06",
		"\x7f\x01\x41\x7f\x0b",
		"\x7e\x00\x42\x80\x01\x0b",
		"\x7d\x00\x43\x00\x00\x80\x3f\x0b",
		"\x7c\x00\x44\x00\x00\x00\x00\x00\x00\xf0\x3f\x0b",
		"\x7b\x00\xfd\x0c0123456789abcdef\x0b",
		"\x70\x01\xd2\x02\x0b") +
	section(7, "\x04", "\x01f\x00\x01", "\x01t\x01\x01", "\x01m\x02\x00", "\x01g\x03\x06") +
	section(8, "\x01") +
	section(9, "\x08",
		"\x00\x41\x01\x0b\x02\x00\x02",
		"\x01\x00\x01\x01",
		"\x02\x00\x41\x02\x0b\x00\x00",
		"\x03\x00\x00",
		"\x04\x23\x00\x0b\x01\xd0\x70\x0b",
		"\x05\x6f\x01\xd0\x6f\x0b",
		"\x06\x01\x41\x00\x0b\x6f\x00",
		"\x07\x70\x01\xd2\x00\x0b") +
	section(12, "\x03") +
	section(10, "\x02", "\x02\x00\x0b", "\x09\x02\x02\x7f\x01\x7b\x01\x01\x01\x0b") +
	section(11, "\x03", "\x00\x41\x08\x0b\x02hi", "\x01\x03abc", "\x02\x00\x23\x00\x0b\x00") +
	section(0, "\x01z", "tail")

func TestParse_TakesEverySectionApart(t *testing.T) {
	m, err := wasm.Parse([]byte(everything), wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		what      string
		got, want any
	}{
		{"types", m.Types, []wasm.FuncType{
			{Params: []wasm.ValueType{}, Results: []wasm.ValueType{}},
			{Params: []wasm.ValueType{wasm.I32, wasm.I64}, Results: []wasm.ValueType{wasm.F32}},
			{Params: []wasm.ValueType{wasm.V128}, Results: []wasm.ValueType{wasm.FuncRef, wasm.ExternRef}},
		}},
		{"funcs", m.Funcs, []uint32{0, 1}},
		{"imported functions", m.ImportedFuncs, 1},
		{"imported tables", m.ImportedTables, 1},
		{"imported globals", m.ImportedGlobals, 1},
		{"type of the import", m.FuncTypeOf(0), uint32(1)},
		{"type of function 2", m.FuncTypeOf(2), uint32(1)},
		{"start", m.Start, 1},
		{"data count", m.DataCount, 3},
		{"tables", len(m.Tables), 2},
		{"elements of table 0", m.Tables[0].Elem, wasm.FuncRef},
		{"largest table 0", m.Tables[0].Max, uint32(9)},
		{"least table 1", m.Tables[1].Min, uint32(7)},
		{"table 1 has a maximum", m.Tables[1].HasMax, false},
		{"memories", len(m.Memories), 1},
		{"least memory", m.Memories[0].Min, uint32(3)},
		{"globals", len(m.Globals), 6},
		{"global 0", m.Globals[0].Init.I32, int32(-1)},
		{"global 0 is mutable", m.Globals[0].Mutable, true},
		{"global 1", string(m.Globals[1].Init.Bytes), "\x42\x80\x01\x0b"},
		{"global 4", m.Globals[4].Init.Op, wasm.OpV128Const},
		{"global 5", m.Globals[5].Init.Index, uint32(2)},
		{"exports", len(m.Exports), 4},
		{"export g", m.Export("g").Index, uint32(6)},
		{"no export", m.Export("x") == nil, true},
		{"elements", modes(m), []wasm.Mode{wasm.Active, wasm.Passive, wasm.Active, wasm.Declarative, wasm.Active, wasm.Passive, wasm.Active, wasm.Declarative}},
		{"segment 0", m.Elements[0].Funcs, []uint32{0, 2}},
		{"segment 4", m.Elements[4].Init[0].Op, wasm.OpRefNull},
		{"segment 6", m.Elements[6].Table, uint32(1)},
		{"type of segment 5", m.Elements[5].Type, wasm.ExternRef},
		{"bodies", len(m.Bodies), 2},
		{"locals", m.Bodies[1].Locals, 3},
		{"vectors", m.Bodies[1].Vectors, true},
		{"no vectors", m.Bodies[0].Vectors, false},
		{"code", everything[m.Bodies[1].Code:m.Bodies[1].End], "\x01\x01\x01\x0b"},
		{"data", len(m.Data), 3},
		{"data 0", string(m.Data[0].Bytes), "hi"},
		{"address of data 0", m.Data[0].At.I32, int32(8)},
		{"mode of data 1", m.Data[1].Mode, wasm.Passive},
		{"address of data 2", m.Data[2].At.Op, wasm.OpGlobalGet},
		{"import", m.Imports[2].Name + m.Imports[2].Kind.String(), "mmemory"},
		{"global's type", m.Imports[3].Global, wasm.GlobalType{Type: wasm.I64}},
	} {
		if !reflect.DeepEqual(want.got, want.want) {
			t.Errorf("%s: %v, want %v", want.what, want.got, want.want)
		}
	}
	if b, ok := m.Custom("z"); !ok || string(b) != "tail" {
		t.Errorf("custom section %q, %v", b, ok)
	}
	if _, ok := m.Custom("no"); ok {
		t.Error("a custom section that is not there")
	}
}

func modes(m *wasm.Module) (modes []wasm.Mode) {
	for _, e := range m.Elements {
		modes = append(modes, e.Mode)
	}
	return modes
}

// Offsets are those of the bytes that they are said to be of.
func TestParse_OffsetsAreTrue(t *testing.T) {
	m, err := wasm.Parse([]byte(everything), wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		what   string
		offset int
		bytes  string
	}{
		{"import", m.Imports[0].Offset, "\x01a\x01f\x00\x01"},
		{"import", m.Imports[3].Offset, "\x01a\x01g\x03"},
		{"limits of an import", m.Imports[1].Table.Offset, "\x01\x02\x09"},
		{"limits of a table", m.Tables[1].Offset, "\x00\x07"},
		{"limits of a memory", m.Memories[0].Offset, "\x00\x03"},
		{"export", m.Exports[2].Offset, "\x01m\x02\x00"},
		{"body", m.Bodies[1].Offset, "\x02\x02\x7f\x01\x7b"},
		{"data", m.Data[1].Offset, "\x01\x03abc"},
		{"section", m.Sections[1].Start, "\x03\x60\x00\x00"},
		{"custom section", m.Sections[len(m.Sections)-1].Start, "tail"},
	} {
		if got := everything[want.offset:min(want.offset+len(want.bytes), len(everything))]; got != want.bytes {
			t.Errorf("%s: at %d is %q, want %q", want.what, want.offset, got, want.bytes)
		}
	}
	end := len(head)
	for _, s := range m.Sections {
		if s.Start < end || s.End < s.Start {
			t.Errorf("section %d is [%d, %d) behind %d", s.ID, s.Start, s.End, end)
		}
		end = s.End
	}
	if end != len(everything) {
		t.Errorf("sections end at %d of %d", end, len(everything))
	}
}
