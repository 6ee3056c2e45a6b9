package marshal_test

import (
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/marshal"
)

// clicks is a batch of 1,024 records of about 120 bytes of JSON.
func clicks() *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "clicks/0"}}
	for i := range 1024 {
		value := fmt.Appendf(nil, `{"user":"u%d","page":"/products/%d","ms":%d,"country":"de","agent":"Mozilla/5.0 (X11; Linux)","score":%d.25,"new":true}`, i%97, i%31, i%1000, i)
		b.Add(&record.Record{Time: 1700000000000 + int64(i), Position: record.Position(i), Key: []byte("u12"), Value: value})
	}
	return b
}

func BenchmarkAppendBatch(b *testing.B) {
	batch := clicks()
	for _, bench := range []struct {
		name string
		want marshal.Want
	}{{"bytes", marshal.WantBytes}, {"json", marshal.WantJSON}} {
		b.Run(bench.name, func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = marshal.AppendBatch(dst[:0], batch, bench.want)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.Count), "ns/record")
			b.ReportMetric(float64(len(dst))/float64(batch.Count), "B/record")
		})
	}
}

// returned is what a guest returns that emits 1,024 objects.
func returned(tb testing.TB) []byte {
	p := startPeer(tb)
	return p.eval(`(3, [(i, 0, b"u12", {"user": f"u{i % 97}", "page": f"/products/{i % 31}", "ms": i, "region": "europe", "score": i + 0.25}, 1700000000000 + i, 0, ()) for i in range(1024)], [], [])`)
}

func BenchmarkReturn(b *testing.B) {
	content := returned(b)
	var d marshal.Decoder
	var e marshal.Effects
	b.ReportAllocs()
	for b.Loop() {
		e, _ = d.Return(content, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1024), "ns/record")
	b.ReportMetric(float64(len(e.Frame))/1024, "B/record")
}

func TestAppendBatch_AllocatesNothing(t *testing.T) {
	batch := clicks()
	dst, err := marshal.AppendBatch(nil, batch, marshal.WantJSON)
	if err != nil {
		t.Fatal(err)
	}
	// The pool may be emptied in between, so not exactly none.
	if n := testing.AllocsPerRun(20, func() { dst, _ = marshal.AppendBatch(dst[:0], batch, marshal.WantJSON) }); n > 2 {
		t.Errorf("%v allocations a batch", n)
	}
}

func TestDecoder_AllocatesNothing(t *testing.T) {
	content := returned(t)
	var d marshal.Decoder
	if n := testing.AllocsPerRun(20, func() {
		if _, err := d.Return(content, 1); err != nil {
			t.Error(err)
		}
	}); n > 2 {
		t.Errorf("%v allocations a return", n)
	}
}
