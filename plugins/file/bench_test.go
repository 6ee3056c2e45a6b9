package file_test

import (
	"errors"
	"io"
	"testing"

	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

// BenchmarkWalkSource reads the lines of the Go distribution's sources, by
// one goroutine behind the parallel discovery.
func BenchmarkWalkSource(b *testing.B) {
	kind, _ := registry(nil).FindSource("walk")
	root := goroot(b) + "/src"
	var records, bytes int64
	b.ReportAllocs()
	for b.Loop() {
		src, err := kind.New(plugins.Env{}, defaults(kind.Fields, plugins.Config{"root": root, "compression": "none"}))
		if err != nil {
			b.Fatal(err)
		}
		e, err := src.Enumerate(b.Context(), false, nil)
		if err != nil {
			b.Fatal(err)
		}
		var batch wire.Batch
		for {
			d, err := e.Next(b.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			for _, s := range d.Splits {
				r, err := src.Open(b.Context(), s, s.Start)
				if err != nil {
					b.Fatal(err)
				}
				var bad *plugins.RecordError // a line that is too long
				for err == nil || errors.As(err, &bad) {
					batch.Reset()
					_, err = r.Read(b.Context(), &batch, plugintest.DefaultLimit)
					records += int64(batch.Count)
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				r.Close()
				bytes += s.Bytes
			}
		}
		e.Close()
		src.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
	b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
	b.ReportMetric(float64(records)/float64(b.N), "records/op")
}
