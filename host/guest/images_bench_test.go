package guest_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/passthrough"
)

// starters are the guests whose start is measured.
var starters = []struct {
	name string
	wasm func(testing.TB) []byte
}{
	{"passthrough", func(testing.TB) []byte { return passthrough.Wasm }},
	{"rust", func(tb testing.TB) []byte { return corpus.Get(tb, "rust").Wasm(tb) }},
	{"go", tokenize},
}

// begin makes an instance, the guest of corpus being one that takes JSON, and has it do a batch of one record.
func begin(b *testing.B, m guest.Module, task int) guest.Instance {
	in, err := m.Instantiate(b.Context(), guest.Init{Task: task, Config: map[string]any{"workload": corpus.JSON}}, &sink{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := in.Batch(b.Context(), batch(`{"word":"a","count":1}`)); err != nil {
		b.Fatal(err)
	}
	return in
}

// BenchmarkInstantiate measures from nothing to the end of the first batch:
// afresh, with the image that is taken then, and from that.
func BenchmarkInstantiate(b *testing.B) {
	for _, g := range starters {
		b.Run("guest="+g.name, func(b *testing.B) {
			e := engine(b, guest.EngineOptions{})
			m, err := e.Compile(b.Context(), g.wasm(b), g.name)
			if err != nil {
				b.Fatal(err)
			}
			life := func(b *testing.B, task func(i int) int) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := begin(b, m, task(i)).Close(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.Run("from=nothing", func(b *testing.B) { life(b, func(i int) int { return i + 1 }) })
			b.Run("from=image", func(b *testing.B) { life(b, func(int) int { return 0 }) })
		})
	}
}

// BenchmarkCachedStart measures a process that finds all on disk, from its
// engine to the end of the first batch. Opening the file and mapping the code
// of the process itself are not in it.
func BenchmarkCachedStart(b *testing.B) {
	for _, g := range starters {
		b.Run("guest="+g.name, func(b *testing.B) {
			wasm, dir := g.wasm(b), b.TempDir()
			start := func() {
				e := open(b, dir)
				m, err := e.Compile(b.Context(), wasm, g.name)
				if err != nil {
					b.Fatal(err)
				}
				begin(b, m, 0)
				b.StopTimer()
				if err := e.Close(context.WithoutCancel(b.Context())); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			start()
			b.ResetTimer()
			for range b.N {
				start()
			}
		})
	}
}

// BenchmarkIdle reports the resident memory of each of a hundred instances
// that have done a batch.
func BenchmarkIdle(b *testing.B) {
	for _, g := range starters {
		b.Run("guest="+g.name, func(b *testing.B) {
			m, err := engine(b, guest.EngineOptions{}).Compile(b.Context(), g.wasm(b), g.name)
			if err != nil {
				b.Fatal(err)
			}
			if err := begin(b, m, 0).Close(b.Context()); err != nil {
				b.Fatal(err)
			}
			const many = 100
			before := idle(b)
			for range many { // they are closed with the engine
				begin(b, m, 0)
			}
			b.ReportMetric(float64(idle(b)-before)/many, "KiB/instance")
		})
	}
}

// idle returns the resident memory in KiB once the heap has given back what
// it does not need.
func idle(b *testing.B) (pages int) {
	b.Helper()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("needs /proc")
	}
	if _, err := fmt.Sscan(strings.Fields(string(statm))[1], &pages); err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize() >> 10
}
