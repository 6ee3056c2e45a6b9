package wire_test

import (
	"bytes"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// FuzzParse: no frame makes Parse panic or allocate from a claimed count, and
// what Parse accepts comes out of the encoder byte for byte.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"frames.txt", "faults.txt"} {
		for _, v := range readVectors(f, file) {
			f.Add(v.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		b, err := wire.Parse(frame)
		if err != nil {
			if b.Count != 0 || b.Records != nil {
				t.Fatalf("a batch comes with the error %v", err)
			}
			return
		}
		if got := b.AppendFrame(nil); !bytes.Equal(got, frame) {
			t.Fatalf("the view as a frame is\n% x, was\n% x", got, frame)
		}
		again := wire.Batch{Partition: b.Partition}
		recs := b.Records
		var r record.Record
		for range b.Count {
			recs = wire.Next(recs, &r)
			n := 0
			for range r.Headers.All() {
				n++
			}
			if n != r.Headers.Count {
				t.Fatalf("%d of %d headers", n, r.Headers.Count)
			}
			again.Add(&r)
		}
		if len(recs) != 0 {
			t.Fatalf("%d bytes behind the last record", len(recs))
		}
		if got := again.AppendFrame(nil); !bytes.Equal(got, frame) {
			t.Fatalf("record by record the frame is\n% x, was\n% x", got, frame)
		}
	})
}
