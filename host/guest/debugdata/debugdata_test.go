package debugdata_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/debugdata"
	"github.com/wasmill/wasmill/host/guest/wasm"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

var unit = Unit{
	Dir: "/home/someone/project", Files: []string{"src/main.c", "/usr/include/stdlib.h", "/home/someone/project/gen/../gen/a.h"},
	Function: "parse", Low: 10, High: 50, Inlined: "look", InlineLow: 30, CallLine: 7,
	Rows: []Row{
		{At: 10, File: 1, Line: 5, Column: 2},
		{At: 20, File: 1, Line: 299}, // empty: the last row of an address counts
		{At: 20, File: 2, Line: 300},
		{At: 30, File: 3, Line: 4, Column: 9},
		{At: 40, File: 3},
	},
}

// of returns the debug data that is in sections.
func of(tb testing.TB, sections map[string][]byte) *debugdata.Data {
	tb.Helper()
	m, err := wasm.Parse(WithSections(New().Bytes(), sections), wasm.Caps{})
	if err != nil {
		tb.Fatal(err)
	}
	return debugdata.Of(m)
}

func TestLocate_FindsFunctionFileLineAndColumn(t *testing.T) {
	d := of(t, Debug(unit))
	for at, want := range map[uint32]string{
		0: "[]", 9: "[]", 50: "[]", 1<<32 - 1: "[]",
		10: "[{parse src/main.c 5 2}]", 19: "[{parse src/main.c 5 2}]",
		20: "[{parse /usr/include/stdlib.h 300 0}]",
		30: "[{look gen/a.h 4 9} {parse src/main.c 7 3}]",
		49: "[{look gen/a.h 0 0} {parse src/main.c 7 3}]",
	} {
		for range 2 { // the second from what is kept
			if got := fmt.Sprint(d.Locate(at)); got != want {
				t.Errorf("at %d: %s, want %s", at, got, want)
			}
		}
	}
}

func TestOf_WantsDataAboutTheCode(t *testing.T) {
	if of(t, Debug(unit)) == nil {
		t.Fatal("no debug data")
	}
	for _, name := range []string{".debug_info", ".debug_abbrev", ".debug_line"} {
		s := Debug(unit)
		delete(s, name)
		if of(t, s) != nil {
			t.Errorf("debug data without %s", name)
		}
		if s[name] = nil; of(t, s) != nil {
			t.Errorf("debug data with an empty %s", name)
		}
	}
	dead := unit
	dead.Low, dead.High = 0, 0 // as tools leave it behind that change modules
	if of(t, Debug(dead)) != nil {
		t.Error("debug data without addresses")
	}
	if testing.Short() {
		return
	}
	huge := Debug(unit)
	huge[".debug_line"] = append(huge[".debug_line"], make([]byte, 64<<20)...)
	if of(t, huge) != nil {
		t.Error("debug data in a section of more than 64 MiB")
	}
}

func TestLocate_PathsOfTheBuildMachine(t *testing.T) {
	for _, test := range []struct{ dir, file, want string }{
		{"/build", "a.c", "a.c"},
		{"/build/", "/build/src/a.c", "src/a.c"},
		{"/build", "/builder/a.c", "/builder/a.c"},
		{"/build", "../a.c", "/a.c"},
		{"/", "/etc/a.c", "/etc/a.c"},
		{"", "./src/./a.c", "src/a.c"},
		{`C:\work`, `C:\work\src\a.c`, "src/a.c"},
		{`C:\work`, `D:\a.c`, "D:/a.c"},
		{"/build", strings.Repeat("long/", 100) + "a.c", "…" + (strings.Repeat("long/", 100) + "a.c")[503-256:]},
		{"/build", "", ""},
	} {
		u := unit
		u.Dir, u.Files = test.dir, []string{test.file}
		if test.file == "" {
			u.Files = nil
		}
		places := of(t, Debug(u)).Locate(10)
		if len(places) != 1 || places[0].File != test.want {
			t.Errorf("%q in %q: %+v, want %q", test.file, test.dir, places, test.want)
		}
	}
}

// Every prefix of every section, and every section with one byte changed,
// gives some answer.
func TestLocate_CorruptDataHasSomeAnswer(t *testing.T) {
	whole := Debug(unit)
	good := fmt.Sprint(of(t, whole).Locate(30))
	same, other := 0, 0
	check := func(s map[string][]byte) {
		d := of(t, s)
		if d == nil {
			other++
			return
		}
		for at := uint32(0); at < 60; at += 10 {
			wantBounded(t, d.Locate(at))
		}
		if fmt.Sprint(d.Locate(30)) == good {
			same++
		} else {
			other++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		b := whole[name]
		for n := range b {
			s := maps.Clone(whole)
			s[name] = b[:n]
			check(s)
			for _, x := range []byte{0, 1, 0x7f, 0x80, 0xff, b[n] + 1} {
				s[name] = bytes.Clone(b)
				s[name][n] = x
				check(s)
			}
		}
	}
	if same == 0 || other == 0 {
		t.Fatalf("%d answers the same, %d other", same, other)
	}
}

// wantBounded checks what holds for all places.
func wantBounded(tb testing.TB, places []debugdata.Place) {
	tb.Helper()
	if len(places) > debugdata.MaxPlaces {
		tb.Fatalf("%d places", len(places))
	}
	for _, p := range places {
		if len(p.File) > 256+len("…") || len(p.Function) > 128 || p.Line < 0 || p.Column < 0 {
			tb.Fatalf("a place beyond its bounds: %+v", p)
		}
	}
}
