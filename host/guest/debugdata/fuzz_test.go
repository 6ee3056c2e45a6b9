package debugdata_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/wasm"
	. "github.com/wasmill/wasmill/host/guest/wasmtest"
)

var seedFlag = flag.Uint64("seed", 0, "run TestLocate_MutatedDataOfCompilers with this seed alone")

// sectionsOf returns the debug sections of a module.
func sectionsOf(tb testing.TB, b []byte) map[string][]byte {
	tb.Helper()
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		tb.Fatal(err)
	}
	sections := map[string][]byte{}
	for _, s := range m.Sections {
		if len(s.Name) > 7 && s.Name[:7] == ".debug_" {
			sections[s.Name] = m.Bytes[s.Start:s.End]
		}
	}
	return sections
}

// What compilers write, with some bytes changed in places that are small
// numbers more often than not, has some answer, and the same one again.
func TestLocate_MutatedDataOfCompilers(t *testing.T) {
	var originals []map[string][]byte
	for _, flags := range [][]string{{"-O2", "-g"}, {"-O2", "-gdwarf-5"}, {"-O0", "-gdwarf-2"}} {
		originals = append(originals, sectionsOf(t, corpus.TrappingC(t, flags...)))
	}
	originals = append(originals, sectionsOf(t, corpus.TrappingRust(t, "-g")))
	seeds := []uint64{*seedFlag}
	if *seedFlag == 0 {
		seeds = nil
		n := 500
		if testing.Short() {
			n = 50
		}
		for range n {
			seeds = append(seeds, rand.Uint64())
		}
	}
	placed := 0
	for _, seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 0))
		s := maps.Clone(originals[random.IntN(len(originals))])
		names := slices.Sorted(maps.Keys(s))
		for range 1 + random.IntN(4) {
			name := names[random.IntN(len(names))]
			if len(s[name]) == 0 {
				continue
			}
			b := slices.Clone(s[name])
			b[random.IntN(len(b))] = byte(random.Uint32() >> random.IntN(32))
			s[name] = b
		}
		d, again := of(t, s), of(t, s)
		if d == nil {
			continue
		}
		for at := uint32(0); at < 400; at += 7 {
			places := d.Locate(at)
			wantBounded(t, places)
			placed += len(places)
			if fmt.Sprint(places) != fmt.Sprint(again.Locate(at)) {
				t.Fatalf("two answers at %d; run again with -seed %d", at, seed)
			}
		}
		if t.Failed() {
			t.Fatalf("run again with -seed %d", seed)
		}
	}
	if placed == 0 {
		t.Fatal("no place in all of them: is the data read at all?")
	}
}

func FuzzLocate(f *testing.F) {
	add := func(s map[string][]byte) {
		f.Add(s[".debug_info"], s[".debug_abbrev"], s[".debug_line"], s[".debug_str"], s[".debug_ranges"], s[".debug_rnglists"], s[".debug_line_str"], uint32(30))
	}
	add(Debug(unit))
	for _, flags := range [][]string{{"-O2", "-g"}, {"-O2", "-gdwarf-5"}, {"-O0", "-gdwarf-2"}} {
		add(sectionsOf(f, corpus.TrappingC(f, flags...)))
	}
	f.Fuzz(func(t *testing.T, info, abbrev, line, str, ranges, lists, lineStr []byte, at uint32) {
		d := of(t, map[string][]byte{
			".debug_info": info, ".debug_abbrev": abbrev, ".debug_line": line, ".debug_str": str,
			".debug_ranges": ranges, ".debug_rnglists": lists, ".debug_line_str": lineStr,
			".debug_addr": ranges, ".debug_str_offsets": lists,
		})
		if d != nil {
			wantBounded(t, d.Locate(at))
			wantBounded(t, d.Locate(at/2))
		}
	})
}
