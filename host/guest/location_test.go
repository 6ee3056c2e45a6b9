package guest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// What compilers write leads to the line that trapped, through inlined calls
// and out to the caller.
func TestTrap_NamesTheLine(t *testing.T) {
	const (
		inC    = "trap in look (look.h:7:5): unreachable"
		inRust = "trap in unreachable, from look (look.rs:5:9): unreachable"
	)
	for _, test := range []struct {
		name string
		wasm func() []byte
		want string
		text string
	}{
		{"C", func() []byte { return corpus.TrappingC(t, "-O2", "-g") },
			"look look.h:7:5, parse traps.c:21:5, wasmill_process traps.c:28:11", inC},
		{"C, DWARF 5", func() []byte { return corpus.TrappingC(t, "-O2", "-gdwarf-5") },
			"look look.h:7:5, parse traps.c:21:5, wasmill_process traps.c:28:11", inC},
		{"C, DWARF 2", func() []byte { return corpus.TrappingC(t, "-O2", "-gdwarf-2") },
			"look look.h:7:5, parse traps.c:21:5, wasmill_process traps.c:28:11", inC},
		{"C, lines only", func() []byte { return corpus.TrappingC(t, "-O2", "-gline-tables-only") },
			"look look.h:7:5, parse traps.c:21:5, wasmill_process traps.c:28:11", inC},
		{"C, not optimised", func() []byte { return corpus.TrappingC(t, "-O0", "-g") },
			"look look.h:7:5, parse traps.c:21:5, wasmill_process traps.c:28:11", inC},
		{"Rust", func() []byte { return corpus.TrappingRust(t, "-Copt-level=3", "-g") },
			"unreachable mod.rs, look look.rs:5:9, parse traps.rs:39:9, wasmill_process traps.rs:49:5", inRust},
		{"Rust, not optimised", func() []byte { return corpus.TrappingRust(t, "-g") },
			"unreachable mod.rs, look look.rs:5:9, parse traps.rs:39:9, wasmill_process traps.rs:49:5", inRust},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, err := instantiate(t, engine(t, guest.EngineOptions{}), test.wasm(), &calls{})
			if err != nil {
				t.Fatal(err)
			}
			run(t, in, batch("a!!b", "c"))
			tr := trap(t, in, batch("a", "b!!!"))
			if got := positions(tr); got != test.want {
				t.Fatalf("frames %s\nwant %s", got, test.want)
			}
			if tr.Error() != test.text {
				t.Fatalf("error %q, want %q", tr.Error(), test.text)
			}
		})
	}
}

// positions writes frames as "function position" each.
func positions(t *guest.Trap) string {
	var list []string
	for i := range t.Frames {
		f := t.Frames[i]
		if path.IsAbs(f.File) { // of a library, which is another in each release
			f.File, f.Line = path.Base(f.File), 0
		}
		list = append(list, strings.TrimSpace(f.Function+" "+f.Position()))
	}
	return strings.Join(list, ", ")
}

// located is a step that traps at a record of value "b", with debug data that
// says so. Its functions have no names if unnamed.
func located(t *testing.T, unnamed bool, change func(map[string][]byte)) []byte {
	t.Helper()
	b := wasmtest.TrapOn("b")
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	for _, s := range m.Sections {
		if s.ID == wasm.SecCode {
			code = s.Start
		}
		if s.Name == "name" && unnamed { // it is the last
			b = b[:bytes.LastIndex(b[:s.Start], []byte("\x04name"))]
			b = b[:bytes.LastIndexByte(b, 0)]
		}
	}
	last := m.Bodies[len(m.Bodies)-1]
	at := uint32(0)
	c := m.Code(&last)
	for in := (wasm.Instr{}); c.Next(&in); {
		if in.Op == wasm.OpUnreachable {
			at = uint32(in.Offset - code)
		}
	}
	low, high := uint32(last.Offset-code), uint32(last.End-code)
	sections := wasmtest.Debug(wasmtest.Unit{
		Dir: "/home/someone/project", Files: []string{"/home/someone/project/src/step.c", "check.h"},
		Function: "process", Low: low, High: high, Inlined: "check", InlineLow: at, CallLine: 12,
		Rows: []wasmtest.Row{
			{At: low, File: 1, Line: 3, Column: 1},
			{At: at, File: 2, Line: 40, Column: 5},
			{At: at + 1, File: 1, Line: 13, Column: 1},
		},
	})
	if change != nil {
		change(sections)
	}
	return wasmtest.WithSections(b, sections)
}

// The same place comes out of all forms, from an instance that went on from an
// image too, and for functions without a name.
func TestTrap_PlacesAreTheOriginalsInEveryForm(t *testing.T) {
	ctx := context.Background()
	for _, unnamed := range []bool{false, true} {
		m, err := engine(t, guest.EngineOptions{}).Compile(ctx, located(t, unnamed, nil), t.Name())
		if err != nil {
			t.Fatal(err)
		}
		want := "check check.h:40:5, wasmill_process src/step.c:12:3"
		if unnamed {
			want = "check check.h:40:5, process src/step.c:12:3"
		}
		for _, how := range []guest.Run{{}, {Patient: true}, {Fuel: 1 << 30}, {}} {
			in, err := m.Instantiate(ctx, guest.Init{Step: "step", Run: how}, &calls{})
			if err != nil {
				t.Fatal(err)
			}
			tr := trap(t, in, batch("a", "b"))
			if got := positions(tr); got != want {
				t.Errorf("%+v: frames %s, want %s", how, got, want)
			}
			if tr.Frames[0].Offset == 0 || tr.Frames[0].Offset != tr.Frames[1].Offset {
				t.Errorf("%+v: offsets %#x and %#x", how, tr.Frames[0].Offset, tr.Frames[1].Offset)
			}
			if text := tr.Error(); text != "trap in check (check.h:40:5): unreachable" {
				t.Errorf("%+v: error %q", how, text)
			}
			if err := in.Close(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Debug data that is damaged costs the place, and nothing else.
func TestTrap_CorruptDebugDataHasNoPlaces(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(map[string][]byte)
	}{
		{"none", func(s map[string][]byte) { clear(s) }},
		{"no lines", func(s map[string][]byte) { delete(s, ".debug_line") }},
		{"lines cut off", func(s map[string][]byte) { s[".debug_line"] = s[".debug_line"][:20] }},
		{"units cut off", func(s map[string][]byte) { s[".debug_info"] = s[".debug_info"][:9] }},
		{"other abbreviations", func(s map[string][]byte) { s[".debug_abbrev"][0] = 9 }},
		{"noise", func(s map[string][]byte) {
			for _, b := range s {
				for i := range b {
					b[i] ^= byte(i*7 + 0x55)
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := instance(t, located(t, false, test.change), &calls{})
			tr := trap(t, in, batch("a", "b"))
			if tr.Error() != "trap in wasmill_process: unreachable" {
				t.Fatalf("error %q", tr.Error())
			}
			if got := positions(tr); got != "wasmill_process" {
				t.Fatalf("frames %s", got)
			}
		})
	}
}

// A function without a name has its index in the module as it was uploaded.
func TestTrap_NumbersOfFunctionsAreTheOriginals(t *testing.T) {
	b := located(t, true, func(s map[string][]byte) { clear(s) })
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("trap in function %d: unreachable", m.Export("wasmill_process").Index)
	if tr := trap(t, instance(t, b, &calls{}), batch("b")); tr.Error() != want {
		t.Fatalf("error %q, want %q", tr.Error(), want)
	}
}

// What a tenant reads holds nothing of this host: no stack of Go, no path.
func TestTrap_TextHoldsNothingOfTheHost(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{located(t, false, nil), corpus.TrappingC(t, "-O2", "-g", "-fdebug-compilation-dir=/elsewhere")} {
		in, err := instantiate(t, engine(t, guest.EngineOptions{}), b, &calls{})
		if err != nil {
			t.Fatal(err)
		}
		tr := trap(t, in, batch("b", "!!!"))
		text := fmt.Sprintf("%v %+v", tr, tr)
		for _, banned := range []string{here, "goroutine", ".go:", "wazero", "wasmill_meter", "/home/someone", "/elsewhere"} {
			if strings.Contains(text, banned) {
				t.Errorf("the text has %q: %s", banned, text)
			}
		}
	}
}
