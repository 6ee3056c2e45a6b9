package meter_test

import (
	"os"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// BenchmarkRewrite parses and rewrites the module that WASMILL_BENCH_MODULE
// names.
func BenchmarkRewrite(b *testing.B) {
	name := os.Getenv("WASMILL_BENCH_MODULE")
	if name == "" {
		b.Skip("WASMILL_BENCH_MODULE names no module")
	}
	module, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range forms {
		b.Run(form.String(), func(b *testing.B) {
			b.SetBytes(int64(len(module)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := wasm.Parse(module, wasm.Caps{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := meter.Rewrite(m, meter.Options{Form: form}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
