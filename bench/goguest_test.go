//go:build unix

package bench_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

const tokenize = "../examples/word-count/tokenize"

// BenchmarkGoGuest measures a step in Go, tokenize of word-count, as
// WebAssembly, and the same code natively: BenchmarkScan of its own module,
// over the same text. wasm/native is how many times slower the first is.
func BenchmarkGoGuest(b *testing.B) {
	var native float64
	b.Run("guest=native", func(b *testing.B) {
		c := exec.CommandContext(b.Context(), "go", "test", "-run=^$", "-bench=^BenchmarkScan$", "-benchtime=500ms")
		c.Dir = tokenize
		out, err := c.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		m := regexp.MustCompile(`([0-9.]+) MB/s`).FindSubmatch(out)
		if m == nil {
			b.Fatalf("no MB/s in\n%s", out)
		}
		native, _ = strconv.ParseFloat(string(m[1]), 64) // the pattern is one of numbers
		for b.Loop() {
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(native, "MB/s")
	})
	b.Run("guest=wasm", func(b *testing.B) {
		wasm, _, err := build.Resolve(b.Context(), tokenize, build.Options{CacheDir: filepath.Join(b.TempDir(), "builds")})
		if err != nil {
			b.Fatal(err)
		}
		in, err := compile(b, wasm).Instantiate(b.Context(), guest.Init{Outputs: []string{"out"}}, ignore{})
		if err != nil {
			b.Fatal(err)
		}
		defer in.Close(context.Background())
		var batch wire.Batch
		text := strings.Repeat("The quick brown fox jumps over internationalisation. ", 1000)
		batch.Add(&record.Record{Time: record.NoTime, Value: []byte(text)})
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if status, err := in.Batch(b.Context(), &batch); err != nil || status != abi.OK {
				b.Fatal(status, err)
			}
		}
		mbs := float64(len(text)) * float64(b.N) / b.Elapsed().Seconds() / 1e6
		if native > 0 {
			b.ReportMetric(native/mbs, "wasm/native")
		}
	})
}

// ignore answers a guest that emits and looks at nothing.
type ignore struct{ guest.Calls }

func (ignore) Emit([]byte) abi.Errno                                     { return abi.OK }
func (ignore) Log(guest.Level, []byte)                                   {}
func (ignore) LogEnabled(guest.Level) bool                               { return false }
func (ignore) Now() int64                                                { return 0 }
func (ignore) MetricDefine(guest.MetricKind, []byte) (uint32, abi.Errno) { return 0, abi.ENOSYS }
