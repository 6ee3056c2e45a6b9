//go:build unix

package bench_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host"
)

// goSource returns the source tree of the Go standard library.
func goSource(b *testing.B) string {
	b.Helper()
	root, err := exec.CommandContext(b.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src")
}

// BenchmarkWordCount counts the words of the Go standard library's source, by
// word-count and by a plain program, and tells how much CPU time each took;
// that of word-count by the parts of the engine, from a profile.
func BenchmarkWordCount(b *testing.B) {
	root := goSource(b)
	var plainCPU time.Duration
	var words int
	b.Run("program=plain", func(b *testing.B) {
		out := filepath.Join(b.TempDir(), "out.jsonl")
		began := cpuTime(b)
		for b.Loop() {
			var err error
			if words, err = plainWordCount(b.Context(), root, out); err != nil {
				b.Fatal(err)
			}
		}
		plainCPU = (cpuTime(b) - began) / time.Duration(b.N)
		b.ReportMetric(float64(plainCPU.Milliseconds()), "cpu-ms")
	})
	b.Run("program=wasmill", func(b *testing.B) {
		countWords(b, root, words) // what is not cached is built and compiled
		var profile bytes.Buffer
		if err := pprof.StartCPUProfile(&profile); err != nil {
			b.Fatal(err)
		}
		began := cpuTime(b)
		for b.Loop() {
			countWords(b, root, words)
		}
		cpu := (cpuTime(b) - began) / time.Duration(b.N)
		pprof.StopCPUProfile()
		if path := os.Getenv("WASMILL_BENCH_PROFILE"); path != "" {
			if err := os.WriteFile(path, profile.Bytes(), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		sums, err := byPart(profile.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		all := time.Duration(0)
		for _, d := range sums {
			all += d
		}
		hostCPU := cpu - time.Duration(float64(cpu)*float64(sums["guests"])/float64(all))
		b.ReportMetric(float64(cpu.Milliseconds()), "cpu-ms")
		b.ReportMetric(float64(hostCPU.Milliseconds()), "host-cpu-ms")
		if plainCPU > 0 {
			b.ReportMetric(float64(hostCPU)/float64(plainCPU), "host/plain")
		}
		for _, p := range append(parts, part{name: "other"}) {
			b.ReportMetric(100*float64(sums[p.name])/float64(all), strings.ReplaceAll(p.name, " ", "-")+"-%")
		}
	})
}

// countWords runs word-count over root.
func countWords(b *testing.B, root string, words int) {
	b.Helper()
	dir := b.TempDir()
	job, err := host.Open(b.Context(), wordCount(dir, "sources.docs.walk.root="+root))
	if err != nil {
		b.Fatal(err)
	}
	out, err := job.Run(b.Context())
	if err = errors.Join(err, job.Close()); err != nil || !out.Finished || words > 0 && out.Counts.Out != int64(words) {
		b.Fatalf("%+v, %v; want %d words", out, err, words)
	}
}
