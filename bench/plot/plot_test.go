package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "draw the golden figures of testdata anew")

func recorded(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/results.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRun_DrawsRecordedResults(t *testing.T) {
	dir := t.TempDir()
	if *rewrite {
		dir = "testdata"
	}
	if err := run(strings.NewReader(recorded(t)), io.Discard, dir); err != nil {
		t.Fatal(err)
	}
	files := []string{"guests.md"}
	for _, f := range figures {
		files = append(files, f.file)
	}
	for _, file := range files {
		got, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not as in testdata: look at the difference, then run go test ./bench/plot -rewrite", file)
		}
		if filepath.Ext(file) == ".svg" {
			checkPicture(t, file, got)
		}
	}
}

// checkPicture holds that a figure is well formed, small, without a script,
// and that all of it is on the canvas.
func checkPicture(t *testing.T, name string, svg []byte) {
	t.Helper()
	if len(svg) > 20<<10 {
		t.Errorf("%s has %d bytes", name, len(svg))
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains([]string{"svg", "title", "style", "rect", "path", "text"}, e.Name.Local) {
			t.Errorf("%s has an element %s", name, e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") || strings.HasPrefix(a.Value, "-") {
				t.Errorf("%s: %s %s=%q", name, e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

func TestRun_DrawsWhatIsThere(t *testing.T) {
	text := recorded(t)
	without := func(benchmark string) string {
		var kept []string
		for l := range strings.Lines(text) {
			if !strings.HasPrefix(l, benchmark) {
				kept = append(kept, l)
			}
		}
		return strings.Join(kept, "")
	}
	var every []string
	for _, f := range figures {
		every = append(every, f.file)
	}
	tests := []struct {
		name, results string
		absent        []string
		err           string
	}{
		{"all", text, nil, ""},
		{"half of a comparison", without("BenchmarkLoop/guest=native"), []string{"loop.svg"}, ""},
		{"a size of state", without("BenchmarkReadModifyWrite/keys=10000000/"), nil, ""},
		{"no state", without("BenchmarkReadModifyWrite"), []string{"state.svg"}, ""},
		{"a part of word-count", strings.ReplaceAll(text, "guests-%", "strangers-%"), []string{"wordcount.svg"}, ""},
		{"a variant of a guest", strings.ReplaceAll(text, "guest=rust/workload=hash/variant=cancel", "x"), nil, ""},
		{"no metering", without("BenchmarkMetering"), []string{"metering.svg"}, ""},
		{"no languages", without("BenchmarkRecord"), []string{"guests.svg"}, ""},
		{"no peers", without("BenchmarkPeers"), []string{"peers.svg"}, ""},
		{"no start", without("BenchmarkStart"), []string{"start.svg", "guest-starts.svg"}, ""},
		{"another package's benchmark of that name", strings.ReplaceAll(text, "wasmill/bench\n", "wasmill/other\n"), []string{"loop.svg", "wordcount.svg", "start.svg"}, ""},
		{"none", "PASS\n", every, "no results to draw"},
		{"a line that never ends", strings.Repeat("x", 1<<20), every, "read results"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			err := run(strings.NewReader(tt.results), io.Discard, dir)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("got error %v, want %q", err, tt.err)
			}
			for _, f := range figures {
				svg, err := os.ReadFile(filepath.Join(dir, f.file))
				if drawn, want := err == nil, !slices.Contains(tt.absent, f.file); drawn != want {
					t.Errorf("%s: drawn %v, want %v", f.file, drawn, want)
				} else if drawn {
					checkPicture(t, f.file, svg)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	const head = "goos: linux\ngoarch: arm64\npkg: github.com/wasmill/wasmill/bench\ncpu: A < B\n"
	tests := []struct {
		name, text, benchmark, unit string
		want                        spread
	}{
		{"one run", "BenchmarkX-8 \t 5\t 7.5 ns/op\t 3 ms-median\n", "bench.X", "ms-median", spread{3, 3, 3}},
		{"an even number of runs", "BenchmarkX-8 5 4 ns/op\nBenchmarkX-8 5 1 ns/op\n", "bench.X", "ns/op", spread{1, 2.5, 4}},
		{"an odd number of runs", "BenchmarkX-8 5 4 ns/op\nBenchmarkX-8 5 1 ns/op\nBenchmarkX-8 5 3 ns/op\n", "bench.X", "ns/op", spread{1, 3, 4}},
		{"a name with parts", "BenchmarkX/a=1/b-c-8 5 4 ns/op\n", "bench.X/a=1/b-c", "ns/op", spread{4, 4, 4}},
		{"what a benchmark prints", "Benchmarking is fun today\nBenchmarkX-8\nBenchmarkX-8 5 4 ns/op\n", "bench.X", "ns/op", spread{4, 4, 4}},
	}
	for _, tt := range tests {
		r, err := parse(strings.NewReader(head + tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.get(tt.benchmark, tt.unit); !ok || got != tt.want {
			t.Errorf("%s: got %v, %v; want %v", tt.name, got, ok, tt.want)
		}
		if want := "linux/arm64, A < B, GOMAXPROCS=8"; r.machine != want {
			t.Errorf("%s: machine %q, want %q", tt.name, r.machine, want)
		}
	}
}

func TestScale_RoundTicks(t *testing.T) {
	tests := []struct {
		min, max float64
		log      bool
		ticks    []float64
	}{
		{90, 94, false, []float64{0, 50}},
		{90, 100, false, []float64{0, 50, 100}},
		{90, 480, false, []float64{0, 200, 400}},
		{0, 0, false, []float64{0, 0.5, 1}},
		{230, 27_000, true, []float64{100, 1000, 10_000}},
		{100, 900, true, []float64{10, 100}}, // the least bar can be seen
	}
	for _, tt := range tests {
		c := &chart{log: tt.log, groups: []group{{bars: []bar{single("", 0, spread{tt.min, tt.min, tt.max})}}}}
		s := c.scale()
		if !slices.Equal(s.ticks, tt.ticks) {
			t.Errorf("%v to %v: ticks at %v, want %v", tt.min, tt.max, s.ticks, tt.ticks)
		}
		if s.at(tt.max) > 1 || s.at(s.ticks[0]) != 0 {
			t.Errorf("%v to %v: from %v to %v of the plot", tt.min, tt.max, s.at(s.ticks[0]), s.at(tt.max))
		}
	}
}

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{0: "0 %", 4.25: "4.2 %", -0.71: "-0.7 %", 12.3: "12 %", 4438.6: "4439 %"} {
		if got := percent(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0667: "0.067", 0.5: "0.5", 3.14: "3.1", 9.96: "10.0", 12.6: "13", 999.6: "1,000", 1234567: "1,234,567"} {
		if got := digits(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0", 0.25: "0.2 ns", 7: "7 ns", 84.4: "84 ns", 999.4: "999 ns", 999.6: "1.0 µs", 1000: "1 µs",
		2460: "2.5 µs", 9960: "10 µs", 78.3e6: "78 ms", 5.9e9: "5.9 s", 120e9: "120 s",
	} {
		if got := duration(ns); got != want {
			t.Errorf("%v: got %q, want %q", ns, got, want)
		}
	}
}
