package debugdata

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"
)

// Data that would keep a reader busy for hours, or have it allocate without
// end, costs one lookup its budget and no more.
func TestLocate_HostileDataEndsWithinTheBudget(t *testing.T) {
	le := binary.LittleEndian
	sized := func(b ...byte) []byte { return append(le.AppendUint32(nil, uint32(len(b))), b...) }
	// A unit of everything, whose code begins at 1: low_pc addr, high_pc data4, stmt_list sec_offset.
	abbrev := []byte{1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0, 0}
	root := []byte{4, 0, 0, 0, 0, 0, 4, 1, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0}
	rows := func(program ...byte) []byte { // of DWARF 4, without files
		head := []byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0}
		line := append(le.AppendUint32([]byte{4, 0}, uint32(len(head))), head...)
		return sized(append(line, program...)...)
	}
	end := []byte{0, 5, 2, 1, 0, 0, 0, 1, 2, 0xff, 0xff, 0x03, 0, 1, 1} // a row at 1, to 65536
	fine := rows(end...)
	five := func(forms ...byte) []byte { // of DWARF 5, with a count of directories of 2^63
		head := append([]byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, byte(len(forms) / 2)}, forms...)
		head = append(head, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)
		line := append(le.AppendUint32([]byte{5, 0, 4, 0}, uint32(len(head))), head...)
		return sized(line...)
	}
	files := func(list []byte) []byte { // of DWARF 4
		head := append([]byte{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}, list...)
		return sized(append(le.AppendUint32([]byte{4, 0}, uint32(len(head))), head...)...)
	}
	big := bytes.Repeat([]byte{1}, 8<<20)
	for _, test := range []struct {
		name string
		data *Data
	}{
		{"units without end", &Data{info: bytes.Repeat(sized(4, 0, 0, 0, 0, 0, 4, 2), 300_000), abbrev: slices.Concat(abbrev, big), line: fine}},
		{"entries without end", &Data{info: sized(slices.Concat(root, bytes.Repeat([]byte{2}, 8<<20))...), abbrev: slices.Concat(abbrev, []byte{2, 1, 1, 0, 0, 0}), line: fine}},
		{"attributes without bytes", &Data{
			info:   sized(slices.Concat(root, bytes.Repeat([]byte{2}, 8<<20))...),
			abbrev: slices.Concat(abbrev, []byte{2, 0x2e, 1}, bytes.Repeat([]byte{0x3f, 0x19}, 500), []byte{0, 0, 0}), line: fine,
		}},
		{"abbreviations without end", &Data{info: sized(root...), abbrev: slices.Concat(abbrev, big), line: fine}},
		{"rows without end", &Data{info: sized(root...), abbrev: abbrev, line: rows(bytes.Repeat([]byte{0x20}, 8<<20)...)}},
		{"files without end", &Data{info: sized(root...), abbrev: abbrev, line: files(bytes.Repeat([]byte{'a', 0, 0, 0, 0}, 1<<20))}},
		{"a file's name without end", &Data{info: sized(root...), abbrev: abbrev, line: files(big)}},
		{"directories of nothing", &Data{info: sized(root...), abbrev: abbrev, line: five()}},
		{"directories of flags", &Data{info: sized(root...), abbrev: abbrev, line: five(1, 0x19, 1, 0x19, 1, 0x19)}},
		{"strings without end", &Data{info: sized(root...), abbrev: abbrev, lineStr: big, line: func() []byte {
			b := five(1, formLineStrp)
			b = append(b, make([]byte, 8<<20)...)
			le.PutUint32(b, uint32(len(b)-4))
			return b
		}()}},
		{"ranges without end", &Data{
			info:   sized(4, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0),
			abbrev: []byte{1, 0x11, 1, 0x55, 0x17, 0, 0, 0}, line: fine, ranges: big,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := test.data
			d.spare, d.kept = moduleWork, make(map[uint32][]Place)
			began := time.Now()
			for at := range uint32(3) {
				before := d.spare
				if places := d.Locate(1000 + at); len(places) > 1 {
					t.Fatalf("places %+v", places)
				}
				if used := before - d.spare; used <= 0 || used > lookupWork {
					t.Fatalf("a lookup took %d steps", used)
				}
			}
			// 30 ms each where it was measured; the bound is for machines that are busy.
			if took := time.Since(began); took > 20*time.Second {
				t.Fatalf("three lookups took %v", took)
			}
			t.Logf("%d steps in %v", (moduleWork-d.spare)/3, time.Since(began)/3)
		})
	}
}

func TestLocate_AModuleHasSoMuchAndNoMore(t *testing.T) {
	d := &Data{spare: 100, kept: map[uint32][]Place{7: {{File: "kept"}}}}
	d.info = bytes.Repeat([]byte{1, 0, 0, 0, 9}, 1000) // units of a version that there is not
	for at := range uint32(100) {
		if places := d.Locate(at); len(places) != 0 && at != 7 {
			t.Fatalf("places %+v", places)
		}
	}
	if d.spare != 0 {
		t.Fatalf("%d steps are left", d.spare)
	}
	if places := d.Locate(7); len(places) != 1 {
		t.Fatal("what was kept is gone")
	}
	for at := range uint32(10 * keptMost) {
		d.Locate(at)
	}
	if len(d.kept) > keptMost {
		t.Fatalf("%d are kept", len(d.kept))
	}
}

func TestInRangeList_EveryKindOfEntry(t *testing.T) {
	addr := []byte{0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 200, 0, 0, 0} // behind the header: 100 and 200
	for _, test := range []struct {
		name string
		list []byte
		in   []uint64
		out  []uint64
	}{
		{"base_addressx, offset_pair", []byte{1, 0, 4, 5, 10, 0}, []uint64{105, 109}, []uint64{5, 104, 110}},
		{"startx_endx", []byte{2, 0, 1, 0}, []uint64{100, 199}, []uint64{99, 200}},
		{"startx_length", []byte{3, 1, 5, 0}, []uint64{200, 204}, []uint64{199, 205}},
		{"offset_pair from the unit's code on", []byte{4, 5, 10, 0}, []uint64{25, 29}, []uint64{5, 30}},
		{"base_address", []byte{5, 50, 0, 0, 0, 4, 0, 10, 0}, []uint64{50, 59}, []uint64{20, 60}},
		{"start_end", []byte{6, 10, 0, 0, 0, 12, 0, 0, 0, 0}, []uint64{10, 11}, []uint64{9, 12}},
		{"start_length", []byte{7, 10, 0, 0, 0, 2, 0}, []uint64{10, 11}, []uint64{9, 12}},
		{"dead code before", []byte{6, 0, 0, 0, 0, 12, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff, 1, 7, 30, 0, 0, 0, 1, 0}, []uint64{30}, []uint64{5, 31}},
		{"behind the end", []byte{0, 7, 10, 0, 0, 0, 2, 0}, nil, []uint64{10}},
		{"unknown", []byte{8, 7, 10, 0, 0, 0, 2, 0}, nil, []uint64{10}},
		{"cut off", []byte{7, 10, 0}, nil, []uint64{10}},
	} {
		for _, want := range []bool{true, false} {
			pcs := test.in
			if !want {
				pcs = test.out
			}
			for _, pc := range pcs {
				l := &lookup{Data: &Data{rangesLists: test.list, addr: addr}, work: work{1000}, pc: pc}
				u := &unit{version: 5, addrSize: 4, low: 20, addrBase: 8}
				if got := l.inRangeList(u, 0); got != want {
					t.Errorf("%s: %d is in: %v", test.name, pc, got)
				}
			}
		}
	}
}
