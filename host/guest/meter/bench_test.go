//go:build linux

package meter_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// BenchmarkRewrite parses and rewrites the module that WASMILL_BENCH_MODULE
// names, by default a Go guest. cpu-MB/s is by the time that the process was
// on a processor, so that it holds on a busy machine too.
func BenchmarkRewrite(b *testing.B) {
	var module []byte
	if name := os.Getenv("WASMILL_BENCH_MODULE"); name != "" {
		var err error
		if module, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	} else {
		module = goGuest(b)
	}
	for _, form := range forms {
		b.Run(form.String(), func(b *testing.B) {
			b.SetBytes(int64(len(module)))
			b.ReportAllocs()
			began := cpu(b)
			for b.Loop() {
				m, err := wasm.Parse(module, wasm.Caps{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := meter.Rewrite(m, meter.Options{Form: form}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(module))*float64(b.N)/1e6/(cpu(b)-began), "cpu-MB/s")
		})
	}
}

// cpu returns the seconds that the process has computed for.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
