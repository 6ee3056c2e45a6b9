package wire_test

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

func TestParse_Golden(t *testing.T) {
	vs := readVectors(t, "frames.txt")
	if *rewrite {
		rewriteVectors(t, "frames.txt", "Frames of records.", vs, func(v *vector) []byte {
			return encode(v.decode(t))
		})
		vs = readVectors(t, "frames.txt")
	}
	if len(vs) < 12 {
		t.Fatalf("frames.txt has only %d vectors", len(vs))
	}
	for _, v := range vs {
		t.Run(v.name, func(t *testing.T) {
			p, want := v.decode(t)
			if got := encode(p, want); !bytes.Equal(got, v.bytes) {
				t.Errorf("encoded\n% x, golden\n% x", got, v.bytes)
			}
			b, err := wire.Parse(v.bytes)
			if err != nil {
				t.Fatal(err)
			}
			if b.Partition != p || b.Count != len(want) {
				t.Errorf("partition %+v, %d records; want %+v, %d", b.Partition, b.Count, p, len(want))
			}
			recs := b.Records
			for i := range b.Count {
				var got record.Record
				recs = wire.Next(recs, &got)
				if !reflect.DeepEqual(got, want[i]) {
					t.Errorf("record %d is %+v, want %+v", i, got, want[i])
				}
			}
		})
	}
}

func TestParse_GoldenFaults(t *testing.T) {
	for _, v := range readVectors(t, "faults.txt") {
		t.Run(v.name, func(t *testing.T) {
			_, err := wire.Parse(v.bytes)
			var fault *wire.Error
			if !errors.As(err, &fault) {
				t.Fatalf("no fault found, error %v", err)
			}
			at := "frame"
			if fault.Record >= 0 {
				at = strconv.Itoa(fault.Record)
			}
			want := v.lines[0]
			if at != want[1] || strconv.Itoa(fault.Offset) != want[2] {
				t.Errorf("fault at %s %d (%v), want %s %s", at, fault.Offset, err, want[1], want[2])
			}
		})
	}
}

func TestEntries_Golden(t *testing.T) {
	vs := readVectors(t, "entries.txt")
	if *rewrite {
		rewriteVectors(t, "entries.txt", "Packed entries of the calls on stores.", vs, func(v *vector) []byte {
			return v.entries(t)
		})
		vs = readVectors(t, "entries.txt")
	}
	for _, v := range vs {
		if got := v.entries(t); !bytes.Equal(got, v.bytes) {
			t.Errorf("%s: encoded % x, golden % x", v.name, got, v.bytes)
		}
	}
}
