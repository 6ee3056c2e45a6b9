package wasm_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmgen"
)

// encoded returns an instruction written from its fields. What no field
// holds is taken from its bytes.
func encoded(b []byte, in *wasm.Instr) []byte {
	out := wasm.AppendOp(nil, in.Op)
	raw := b[in.Offset+len(out) : in.End]
	switch in.Op.Immediate() {
	case wasm.ImmNone:
	case wasm.ImmBlock:
		out = wasm.AppendBlockType(out, in.Block)
	case wasm.ImmLabel, wasm.ImmFunc, wasm.ImmLocal, wasm.ImmGlobal, wasm.ImmTable, wasm.ImmMemory, wasm.ImmData, wasm.ImmElem:
		out = wasm.AppendU32(out, in.A)
	case wasm.ImmIndirect, wasm.ImmElemTab, wasm.ImmTables, wasm.ImmMemories, wasm.ImmDataMem, wasm.ImmMem:
		out = wasm.AppendU32(wasm.AppendU32(out, in.A), in.B)
	case wasm.ImmMemLane:
		out = append(wasm.AppendU32(wasm.AppendU32(out, in.A), in.B), raw[len(raw)-1])
	case wasm.ImmLabels:
		out = wasm.AppendU32(out, in.A)
		last := uint32(0)
		in.Targets(func(l uint32) { out, last = wasm.AppendU32(out, l), l })
		if last != in.B {
			return nil
		}
	case wasm.ImmRefType:
		out = append(out, byte(in.A))
	case wasm.ImmTypes:
		out = append(out, 1, byte(in.A))
	case wasm.ImmI32:
		out = wasm.AppendS64(out, int64(int32(in.A)))
	default: // constants and lanes
		out = append(out, raw...)
	}
	return out
}

// immediates are examples of what may follow an instruction.
var immediates = map[wasm.Immediate][]string{
	wasm.ImmNone:   {""},
	wasm.ImmBlock:  {"\x40", "\x7f", "\x7b", "\x70", "\x6f", "\x00", "\x05", "\xc0\x00"},
	wasm.ImmLabel:  {"\x00"},
	wasm.ImmLabels: {"\x00\x00", "\x02\x00\x00\x00"},
	wasm.ImmFunc:   {"\x00", "\x80\x01"}, wasm.ImmLocal: {"\x00", "\xff\xff\xff\xff\x0f"}, wasm.ImmGlobal: {"\x07"},
	wasm.ImmTable: {"\x00", "\x05"}, wasm.ImmData: {"\x01"}, wasm.ImmElem: {"\x01"}, wasm.ImmMemory: {"\x00"},
	wasm.ImmIndirect: {"\x03\x01"}, wasm.ImmElemTab: {"\x03\x01"}, wasm.ImmTables: {"\x01\x00"},
	wasm.ImmDataMem: {"\x02\x00"}, wasm.ImmMemories: {"\x00\x00"},
	wasm.ImmMem: {"\x00\x00", "\x03\x80\x80\x04"}, wasm.ImmMemLane: {"\x02\x08\x03"},
	wasm.ImmRefType: {"\x70", "\x6f"}, wasm.ImmTypes: {"\x01\x7f"},
	wasm.ImmI32: {"\x00", "\x7f", "\xff\xff\xff\xff\x07", "\x80\x80\x80\x80\x78"},
	wasm.ImmI64: {"\x7f", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"},
	wasm.ImmF32: {"abcd"}, wasm.ImmF64: {"abcdefgh"}, wasm.ImmV128: {"0123456789abcdef"}, wasm.ImmLane: {"\x03"},
}

func TestCode_EveryInstructionDecodes(t *testing.T) {
	ops := wasm.Ops()
	// Version 1; sign extension, saturating truncation, bulk memory, reference
	// types, vectors.
	if want := 172 + 5 + 8 + 7 + 9 + 236; len(ops) != want {
		t.Errorf("%d instructions, core version 2 has %d", len(ops), want)
	}
	for _, op := range ops {
		for _, imm := range immediates[op.Immediate()] {
			want := string(wasm.AppendOp(nil, op)) + imm
			if op == 0xfd0d { // shuffle takes 16 lanes
				want = string(wasm.AppendOp(nil, op)) + "0123456789abcdef"
			}
			before, after := "", ""
			switch op {
			case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
				after = "\x0b"
			case wasm.OpElse:
				before, after = "\x04\x40", "\x0b"
			case wasm.OpEnd:
				before = "\x02\x40"
			}
			got := decoded(t, function(before+want+after))
			if op == wasm.OpIf || op == wasm.OpElse || op == wasm.OpEnd {
				got = got[len(got)-len(after)-1-1:]
			}
			found := false
			for _, g := range got {
				found = found || g.op == op && g.again == want
			}
			if !found {
				t.Errorf("%#x % x: got %v", uint32(op), want, got)
			}
		}
	}
}

type seen struct {
	op    wasm.Op
	again string
}

// decoded returns the instructions of all bodies of a module, and checks that
// they lie one behind the other.
func decoded(t *testing.T, b string) (all []seen) {
	t.Helper()
	m, err := wasm.Parse([]byte(b), wasm.Caps{})
	if err != nil {
		t.Fatalf("% x: %v", b, err)
	}
	for i := range m.Bodies {
		body := &m.Bodies[i]
		c, at := m.Code(body), body.Code
		var in wasm.Instr
		for c.Next(&in) {
			if in.Offset != at || in.End <= in.Offset {
				t.Fatalf("instruction %#x is [%d, %d), the one before ended at %d", uint32(in.Op), in.Offset, in.End, at)
			}
			at = in.End
			all = append(all, seen{in.Op, string(encoded(m.Bytes, &in))})
		}
		if c.Err() != nil || at != body.End || c.Depth() != 0 {
			t.Fatalf("% x: error %v, end at %d of %d, depth %d", b, c.Err(), at, body.End, c.Depth())
		}
	}
	return all
}

// Generated modules, whose encodings are the shortest, are the same when
// their instructions are written again.
func TestCode_RoundTripOfGeneratedModules(t *testing.T) {
	for seed := range uint64(60) {
		b := wasmgen.Module(seed)
		m, err := wasm.Parse(b, wasm.Caps{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range m.Bodies {
			c := m.Code(&m.Bodies[i])
			var in wasm.Instr
			for c.Next(&in) {
				if got, want := string(encoded(b, &in)), string(b[in.Offset:in.End]); got != want {
					t.Fatalf("seed %d, byte %d: % x, want % x", seed, in.Offset, got, want)
				}
			}
			if c.Err() != nil {
				t.Fatalf("seed %d: %v", seed, c.Err())
			}
		}
	}
}

func TestInstr_TargetsHaveTheDefaultLast(t *testing.T) {
	b := function("\x02\x40\x02\x40\x41\x00\x0e\x03\x00\x01\x02\x01\x0b\x0b")
	m, err := wasm.Parse([]byte(b), wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	c := m.Code(&m.Bodies[0])
	var in wasm.Instr
	for c.Next(&in) {
		if in.Op != wasm.OpBrTable {
			continue
		}
		for range 2 { // as often as wanted
			var got []uint32
			in.Targets(func(l uint32) { got = append(got, l) })
			if !reflect.DeepEqual(got, []uint32{0, 1, 2, 1}) || in.A != 3 || in.B != 1 {
				t.Errorf("targets %v, count %d, default %d", got, in.A, in.B)
			}
		}
		return
	}
	t.Errorf("there is no br_table: %v", c.Err())
}

func TestAppend_NumbersComeBack(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, math.MaxInt32, math.MinInt32} {
		b := wasm.AppendS64([]byte{byte(wasm.OpI32Const)}, v)
		m, err := wasm.Parse([]byte(function(string(b)+"\x1a")), wasm.Caps{})
		if err != nil {
			t.Fatal(err)
		}
		c := m.Code(&m.Bodies[0])
		var in wasm.Instr
		if !c.Next(&in) || int64(int32(in.A)) != v {
			t.Errorf("%d comes back as %d: %v", v, int32(in.A), c.Err())
		}
	}
	for _, v := range []uint32{0, 1, 127, 128, 16383, 16384, math.MaxUint32} {
		b := wasm.AppendU32([]byte{byte(wasm.OpLocalGet)}, v)
		m, err := wasm.Parse([]byte(function(string(b))), wasm.Caps{})
		if err != nil {
			t.Fatal(err)
		}
		c := m.Code(&m.Bodies[0])
		var in wasm.Instr
		if !c.Next(&in) || in.A != v {
			t.Errorf("%d comes back as %d: %v", v, in.A, c.Err())
		}
	}
	if got := wasm.AppendName(nil, strings.Repeat("n", 200)); len(got) != 202 || got[0] != 0xc8 || got[1] != 1 {
		t.Errorf("a name of 200 bytes begins % x", got[:3])
	}
}
