package wire_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// sample is a batch of n records with keys and values of a usual size.
func sample(n int) *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "docs/readme.md", Number: 3}}
	for i := range n {
		b.Add(&record.Record{
			Time: record.NoTime, Position: record.Position(i * 101),
			Key: []byte("a key"), Value: bytes.Repeat([]byte{'v'}, 100),
		})
	}
	return b
}

func TestNext_ViewsAreClipped(t *testing.T) {
	var h record.Headers
	b := wire.Batch{}
	b.Add(&record.Record{Key: []byte("k"), Value: []byte("v"), Headers: h.Append("n", []byte("1"))})
	b.Add(&record.Record{Key: []byte("second"), Value: []byte("record")})
	before := bytes.Clone(b.Records)

	var r record.Record
	wire.Next(b.Records, &r)
	_ = append(r.Key, "overwrite"...)
	_ = append(r.Value, "overwrite"...)
	r.Headers = r.Headers.Append("more", []byte("2"))
	if !bytes.Equal(b.Records, before) {
		t.Error("an append to a view changed the batch")
	}
	if v, ok := r.Headers.Get("more"); !ok || string(v) != "2" {
		t.Errorf("header added to a view: %q, %v", v, ok)
	}
}

func TestParse_ViewIsClipped(t *testing.T) {
	frame := append(sample(1).AppendFrame(nil), "behind"...)
	b, err := wire.Parse(frame[:len(frame)-6])
	if err != nil {
		t.Fatal(err)
	}
	b.Add(&record.Record{Value: []byte("added")})
	if got := frame[len(frame)-6:]; string(got) != "behind" {
		t.Errorf("Add wrote %q behind the frame", got)
	}
}

func TestBatch_ResetKeepsTheBuffer(t *testing.T) {
	b := sample(4)
	room := cap(b.Records)
	b.Reset()
	if b.Count != 0 || len(b.Records) != 0 || cap(b.Records) != room {
		t.Errorf("count %d, %d bytes, room %d; want 0, 0, %d", b.Count, len(b.Records), cap(b.Records), room)
	}
}

func TestParse_CountsAllocateNothing(t *testing.T) {
	frame := sample(1).AppendFrame(nil)
	for _, off := range []int{8, 20, 48 + 24, 48 + 28, 48 + 32, 48 + 36} {
		bad := bytes.Clone(frame)
		binary.LittleEndian.PutUint32(bad[off:], 0xfffffff0)
		// The error itself takes a few small allocations.
		if n := testing.AllocsPerRun(10, func() {
			if _, err := wire.Parse(bad); err == nil {
				t.Errorf("a huge number at byte %d is accepted", off)
			}
		}); n > 8 {
			t.Errorf("a huge number at byte %d costs %v allocations", off, n)
		}
	}
}

func TestCodec_NoAllocations(t *testing.T) {
	src := sample(256)
	dst := &wire.Batch{Partition: src.Partition}
	var frame []byte
	pass := func() {
		dst.Reset()
		recs := src.Records
		var r record.Record
		for range src.Count {
			recs = wire.Next(recs, &r)
			dst.Add(&r)
		}
		frame = dst.AppendFrame(frame[:0])
		if err := wire.Check(*dst, 0); err != nil {
			t.Error(err)
		}
	}
	pass()
	if n := testing.AllocsPerRun(20, pass); n != 0 {
		t.Errorf("%v allocations for 256 records", n)
	}
}

func BenchmarkBatch(b *testing.B) {
	src := sample(1024)
	frame := src.AppendFrame(nil)
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(frame)))
		for b.Loop() {
			if _, err := wire.Parse(frame); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/record")
	})
	b.Run("copy", func(b *testing.B) {
		dst := &wire.Batch{}
		b.ReportAllocs()
		b.SetBytes(int64(len(frame)))
		for b.Loop() {
			dst.Reset()
			recs := src.Records
			var r record.Record
			for range src.Count {
				recs = wire.Next(recs, &r)
				dst.Add(&r)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/record")
	})
}
