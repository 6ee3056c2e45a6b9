package debugdata_test

import (
	"debug/dwarf"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/debugdata"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// What the standard library makes of the guests of the corpus, which trusts
// its input, is what Locate finds at every instruction.
func TestLocate_AgreesWithTheStandardLibrary(t *testing.T) {
	for _, test := range []struct {
		guest string
		every int // instructions; ten times that under -short
		least int // instructions that have places
	}{
		{"c", 5, 2_000},
		{"rust", 17, 500},
	} {
		t.Run(test.guest, func(t *testing.T) {
			if testing.Short() { // debug/dwarf reads all of a unit for each
				test.every *= 10
				test.least /= 10
			}
			m, err := wasm.Parse(corpus.Get(t, test.guest).Wasm(t), wasm.Caps{})
			if err != nil {
				t.Fatal(err)
			}
			d := debugdata.Of(m)
			if d == nil {
				t.Fatal("no debug data")
			}
			theirs := open(t, m)
			n, compared, found := 0, 0, 0
			for _, at := range instructions(m) {
				if n++; n%test.every != 0 {
					continue
				}
				compared++
				want, got := theirs.places(t, uint64(at)), d.Locate(uint32(at))
				if fmt.Sprint(want) != fmt.Sprint(got) {
					t.Fatalf("at %#x:\n got %+v\nwant %+v", at, got, want)
				}
				if len(got) > 0 {
					found++
				}
			}
			if found < test.least {
				t.Fatalf("%d of %d instructions have places, want %d", found, compared, test.least)
			}
			t.Logf("%d of %d instructions have places", found, compared)
		})
	}
}

// instructions returns the offsets of all instructions in the code section.
func instructions(m *wasm.Module) (offsets []int) {
	for _, s := range m.Sections {
		if s.ID != wasm.SecCode {
			continue
		}
		for i := range m.Bodies {
			c := m.Code(&m.Bodies[i])
			for in := (wasm.Instr{}); c.Next(&in); {
				offsets = append(offsets, in.Offset-s.Start)
			}
		}
	}
	return offsets
}

// reference looks places up with debug/dwarf.
type reference struct {
	data  *dwarf.Data
	units []dwarf.Entry
	rows  map[dwarf.Offset][]dwarf.LineEntry
}

func open(t *testing.T, m *wasm.Module) *reference {
	t.Helper()
	section := func(name string) []byte {
		b, _ := m.Custom(".debug_" + name)
		return b
	}
	data, err := dwarf.New(section("abbrev"), nil, nil, section("info"), section("line"), nil, section("ranges"), section("str"))
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{data: data, rows: map[dwarf.Offset][]dwarf.LineEntry{}}
	for in := data.Reader(); ; in.SkipChildren() {
		e, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return r
		}
		if e.Tag == dwarf.TagCompileUnit {
			r.units = append(r.units, *e)
		}
	}
}

func (r *reference) covers(t *testing.T, e *dwarf.Entry, pc uint64) bool {
	t.Helper()
	ranges, err := r.data.Ranges(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ranges {
		if p[0] != 0 && uint32(p[0]) < 1<<32-2 && p[0] <= pc && pc < p[1] {
			return true
		}
	}
	return false
}

func (r *reference) places(t *testing.T, pc uint64) []debugdata.Place {
	t.Helper()
	for i := range r.units {
		if cu := &r.units[i]; r.covers(t, cu, pc) {
			return r.unitPlaces(t, cu, pc)
		}
	}
	return nil
}

func (r *reference) unitPlaces(t *testing.T, cu *dwarf.Entry, pc uint64) []debugdata.Place {
	t.Helper()
	lines, err := r.data.LineReader(cu)
	if err != nil || lines == nil {
		t.Fatal(lines, err)
	}
	rows, ok := r.rows[cu.Offset]
	for e := (dwarf.LineEntry{}); !ok && lines.Next(&e) == nil; {
		rows = append(rows, e)
	}
	r.rows[cu.Offset] = rows
	dir, _ := cu.Val(dwarf.AttrCompDir).(string)
	file := func(name string) string {
		if rest, ok := strings.CutPrefix(name, path.Clean(dir)+"/"); ok {
			return path.Clean(rest)
		}
		return path.Clean(name)
	}
	var at *dwarf.LineEntry
	for i := 0; i+1 < len(rows); i++ {
		if !rows[i].EndSequence && rows[i].Address <= pc && pc < rows[i+1].Address {
			at = &rows[i]
			break
		}
	}
	if at == nil {
		return nil
	}
	place := debugdata.Place{File: file(at.File.Name), Line: at.Line, Column: at.Column}
	calls := r.calls(t, cu, pc)
	var places []debugdata.Place
	for i := len(calls) - 1; i >= 0; i-- {
		place.Function = r.name(t, calls[i])
		if places = append(places, place); calls[i].Tag == dwarf.TagSubprogram {
			return places
		}
		n, _ := calls[i].Val(dwarf.AttrCallFile).(int64)
		line, _ := calls[i].Val(dwarf.AttrCallLine).(int64)
		column, _ := calls[i].Val(dwarf.AttrCallColumn).(int64)
		place = debugdata.Place{File: file(lines.Files()[n].Name), Line: int(line), Column: int(column)}
	}
	return append(places, place)
}

// calls returns the function around pc and the inlined calls in it.
func (r *reference) calls(t *testing.T, cu *dwarf.Entry, pc uint64) (calls []*dwarf.Entry) {
	t.Helper()
	in := r.data.Reader()
	in.Seek(cu.Offset)
	for first := true; ; first = false {
		e, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil || e.Tag == dwarf.TagCompileUnit && !first {
			return calls
		}
		switch e.Tag {
		case dwarf.TagSubprogram:
			if r.covers(t, e, pc) {
				calls = append(calls, e)
			} else {
				in.SkipChildren()
			}
		case dwarf.TagInlinedSubroutine:
			if r.covers(t, e, pc) {
				calls = append(calls, e)
			}
		}
	}
}

func (r *reference) name(t *testing.T, e *dwarf.Entry) string {
	t.Helper()
	for range 4 {
		if s, ok := e.Val(dwarf.AttrName).(string); ok {
			return s[:min(len(s), 128)]
		}
		if s, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
			return s[:min(len(s), 128)]
		}
		to, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			to, _ = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		in := r.data.Reader()
		in.Seek(to)
		var err error
		if e, err = in.Next(); err != nil || e == nil {
			t.Fatal(e, err)
		}
	}
	return ""
}
