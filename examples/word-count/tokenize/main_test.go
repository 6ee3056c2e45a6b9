package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/wasmilltest"
)

// counts runs one batch of lines and returns what was emitted.
func counts(t *testing.T, h *wasmilltest.Host, lines ...string) map[string]int {
	t.Helper()
	var in []wasmill.Record
	for _, l := range lines {
		in = append(in, wasmill.Record{Value: []byte(l)})
	}
	res := h.Batch(in...)
	if res.Err != nil || res.Failed != nil {
		t.Fatalf("error %v, failed %v", res.Err, res.Failed)
	}
	got := map[string]int{}
	for _, e := range res.Emitted {
		if _, twice := got[string(e.Record.Key)]; twice {
			t.Errorf("%q is emitted twice", e.Record.Key)
		}
		n, err := strconv.Atoi(string(e.Record.Value))
		if err != nil {
			t.Errorf("%q: %v", e.Record.Key, err)
		}
		if e.Cause != -1 || e.Record.Time != wasmill.NoTime {
			t.Errorf("%q: cause %d, time %d", e.Record.Key, e.Cause, e.Record.Time)
		}
		got[string(e.Record.Key)] = n
	}
	return got
}

func TestTokenize_Words(t *testing.T) {
	h := wasmilltest.New(t, wasmilltest.Options{})
	got := counts(t, h, "The quick, the QUICK and_the9the", "", "caf\xc3\xa9 \x00", "internationalisation INTERNATIONALISATION internationalisations", "abcdefgh abcdefghi xabcdefgh")
	want := map[string]int{
		"the": 4, "quick": 2, "and": 1, "caf": 1,
		"internationalisation": 2, "internationalisations": 1, "abcdefgh": 1, "abcdefghi": 1, "xabcdefgh": 1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := counts(t, h, "the"); !maps.Equal(got, map[string]int{"the": 1}) {
		t.Errorf("the next batch has %v", got)
	}
	if got := counts(t, h); len(got) != 0 {
		t.Errorf("an empty batch has %v", got)
	}
}

func TestTokenize_ManyWords(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	h := wasmilltest.New(t, wasmilltest.Options{})
	for range 3 {
		want := map[string]int{}
		var lines []string
		for range 2000 {
			var line strings.Builder
			for range rng.IntN(10) {
				word := make([]byte, 1+rng.IntN(12))
				for i := range word {
					word[i] = "abcXYZ"[rng.IntN(6)]
				}
				fmt.Fprintf(&line, "%s%c", word, " 1\n\xff"[rng.IntN(4)])
				want[strings.ToLower(string(word))]++
			}
			lines = append(lines, line.String())
		}
		if got := counts(t, h, lines...); !maps.Equal(got, want) {
			t.Errorf("seed %d: %d words, want %d", seed, len(got), len(want))
		}
	}
}

func TestScan_NoAllocations(t *testing.T) {
	text := []byte(strings.Repeat("The quick brown fox jumps over internationalisation. ", 100))
	scan(text)
	if n := testing.AllocsPerRun(10, func() { words.reset(); scan(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over internationalisation. ", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		words.reset()
		scan(text)
	}
}
