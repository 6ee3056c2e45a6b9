package task

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

var seedFlag = flag.Uint64("seed", 0, "seed of random tests, 0 = any")

var testPart = &Part{Source: 1, Split: []byte("split"), Partition: record.Partition{Name: "file", Number: 9}}

// batchOf makes a batch of records with these values at positions 0, 10, 20, …
func batchOf(values ...string) *Batch {
	b := newBatch(testPart.Partition)
	for i, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(10 * i), Key: []byte("k"), Value: []byte(v)})
		b.Origins = append(b.Origins, NewOrigin(testPart, record.Position(10*i)))
	}
	return b
}

// content returns values, positions and origins, which must agree.
func content(t *testing.T, b *Batch) string {
	t.Helper()
	var values []string
	var rec record.Record
	rest := b.Records
	for i := range b.Count {
		rest = wire.Next(rest, &rec)
		values = append(values, string(rec.Value))
		if o := b.Origins[i]; o.Position() != rec.Position || o.Part != testPart {
			t.Errorf("record %q at %d has origin %+v", rec.Value, rec.Position, o)
		}
	}
	if len(rest) > 0 || len(b.Origins) != b.Count {
		t.Errorf("%d bytes are left, %d origins of %d records", len(rest), len(b.Origins), b.Count)
	}
	return strings.Join(values, " ")
}

func TestBatch_SliceAndWithout(t *testing.T) {
	b := batchOf("a", "bb", "c with more than a few bytes", "d")
	for _, c := range []struct {
		lo, hi int
		want   string
	}{{0, 4, "a bb c with more than a few bytes d"}, {0, 1, "a"}, {1, 3, "bb c with more than a few bytes"}, {3, 4, "d"}} {
		if got := content(t, b.slice(c.lo, c.hi)); got != c.want {
			t.Errorf("slice(%d, %d) is %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
	for _, c := range []struct {
		indices []uint32
		want    string
	}{{nil, "a bb c with more than a few bytes d"}, {[]uint32{0}, "bb c with more than a few bytes d"}, {[]uint32{1, 2}, "a d"}, {[]uint32{3}, "a bb c with more than a few bytes"}, {[]uint32{0, 1, 2, 3}, ""}} {
		if got := content(t, b.without(c.indices)); got != c.want {
			t.Errorf("without(%v) is %q, want %q", c.indices, got, c.want)
		}
	}
	if got := content(t, b.slice(1, 4).without([]uint32{1})); got != "bb d" {
		t.Errorf("without of a slice is %q", got)
	}
	c := b.clone()
	b.Records[wire.RecordHeaderSize+1] = 'x'
	if got := content(t, c); got != "a bb c with more than a few bytes d" {
		t.Errorf("a clone changed with its original: %q", got)
	}
}

func TestBatch_Pieces(t *testing.T) {
	b := batchOf("a", "b", "c", "d", strings.Repeat("long", 100), "e", "f")
	one := len(b.slice(0, 1).Records)
	for _, c := range []struct {
		records, bytes int
		want           []int // records of each piece
	}{
		{100, 1 << 20, []int{7}},
		{7, len(b.Records), []int{7}},
		{1, 1 << 20, []int{1, 1, 1, 1, 1, 1, 1}},
		{3, 1 << 20, []int{3, 3, 1}},
		{100, 1, []int{1, 1, 1, 1, 1, 1, 1}},
		{100, 2 * one, []int{2, 2, 1, 2}},
		{100, 3*one - 1, []int{2, 2, 1, 2}},
		{3, 2 * one, []int{2, 2, 1, 2}},
	} {
		var got []int
		var all []string
		for p := range b.pieces(func() int { return c.records }, c.bytes) {
			got = append(got, p.Count)
			all = append(all, content(t, p))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("pieces of %d records, %d bytes: %v, want %v", c.records, c.bytes, got, c.want)
		}
		if want := content(t, b); strings.Join(all, " ") != want {
			t.Errorf("pieces of %d records, %d bytes hold %q", c.records, c.bytes, all)
		}
	}
	for p := range b.pieces(func() int { return 2 }, 1<<20) { // a consumer may stop
		if p.Count != 2 {
			t.Error(p.Count)
		}
		break
	}
}

// TestBatch_RandomCuts cuts random batches at random and compares with slices
// of the values.
func TestBatch_RandomCuts(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("again with -seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		var values []string
		for range 1 + rng.IntN(12) {
			values = append(values, strings.Repeat("v", 1+rng.IntN(40)))
		}
		b := batchOf(values...)
		lo := rng.IntN(len(values))
		hi := lo + 1 + rng.IntN(len(values)-lo)
		if got, want := content(t, b.slice(lo, hi)), strings.Join(values[lo:hi], " "); got != want {
			t.Fatalf("slice(%d, %d) of %q is %q", lo, hi, values, got)
		}
		var indices []uint32
		var want []string
		for i, v := range values {
			if rng.IntN(2) == 0 {
				indices = append(indices, uint32(i))
			} else {
				want = append(want, v)
			}
		}
		if got := content(t, b.without(indices)); got != strings.Join(want, " ") {
			t.Fatalf("without(%v) of %q is %q", indices, values, got)
		}
		var all []string
		records, bytes := 1+rng.IntN(5), 1+rng.IntN(300)
		for p := range b.pieces(func() int { return records }, bytes) {
			if p.Count > records || len(p.Records) > bytes && p.Count > 1 {
				t.Fatalf("a piece of %d records, %d bytes; the limits are %d and %d", p.Count, len(p.Records), records, bytes)
			}
			all = append(all, content(t, p))
		}
		if strings.Join(all, " ") != content(t, b) {
			t.Fatalf("pieces of %q are %q", values, all)
		}
		b.free()
	}
}

func TestBatch_SetInput(t *testing.T) {
	b := newBatch(record.Partition{})
	b.Add(&record.Record{Position: 5, Cause: 3, Stream: 1, Value: []byte("v")})
	b.setInput(4)
	var rec record.Record
	wire.Next(b.Records, &rec)
	if rec.Cause != 0 || rec.Stream != 4 || rec.Position != 5 || string(rec.Value) != "v" {
		t.Errorf("%+v", rec)
	}
}

func TestOrigin(t *testing.T) {
	other := &Part{Source: 1, Split: []byte("other")}
	a, b := NewOrigin(testPart, 0), NewOrigin(testPart, 7)
	for _, c := range []struct {
		o         Origin
		position  record.Position
		aggregate bool
	}{{a, 0, false}, {b, 7, false}, {a.aggregate(), 0, true}, {b.aggregate(), 7, true}, {b.aggregate().aggregate(), 7, true}} {
		if c.o.Position() != c.position || c.o.Aggregate() != c.aggregate {
			t.Errorf("%+v is at %d, aggregate %v; want %+v", c.o, c.o.Position(), c.o.Aggregate(), c)
		}
	}
	for _, c := range []struct {
		a, b Origin
		want bool
	}{{a, b, true}, {b, a, false}, {a, a, false}, {a.aggregate(), b.aggregate(), true}, {b.aggregate(), a, false}, {a, NewOrigin(other, 7), false}} {
		if got := c.a.Before(c.b); got != c.want {
			t.Errorf("%v before %v: %v", fmt.Sprint(c.a), fmt.Sprint(c.b), got)
		}
	}
}
