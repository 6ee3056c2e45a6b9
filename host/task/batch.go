package task

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
	"sync"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// Part is a partition of a source, for the origin of records.
type Part struct {
	Source int    // index in the spec
	Split  []byte // id
	record.Partition
}

// Origin is where a record comes from: the partition and position of the
// source's record that caused it. A record made from many has the first.
type Origin struct {
	Part *Part // nil: none, as of records made by end
	pos  int64 // the position; its complement in an aggregate
}

// NewOrigin returns the origin of a source's record.
func NewOrigin(p *Part, pos record.Position) Origin { return Origin{p, int64(pos)} }

// Position is the position of the record, or of the first of an aggregate.
func (o Origin) Position() record.Position {
	if o.pos < 0 {
		return record.Position(^o.pos)
	}
	return record.Position(o.pos)
}

// Aggregate tells whether the record was made from a whole batch.
func (o Origin) Aggregate() bool { return o.pos < 0 }

// Before tells whether o comes before p in the same split.
func (o Origin) Before(p Origin) bool {
	return o.Part.Source == p.Part.Source && bytes.Equal(o.Part.Split, p.Part.Split) && o.Position() < p.Position()
}

func (o Origin) aggregate() Origin {
	if o.pos >= 0 {
		o.pos = ^o.pos
	}
	return o
}

// Batch is a batch on its way through a job, with the origin of each record.
// It has one owner at a time.
type Batch struct {
	wire.Batch
	Origins []Origin

	said bool // what its records log was logged by an attempt before
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

const keepBytes = 4 << 20 // buffers above are left to the garbage collector

func newBatch(p record.Partition) *Batch {
	b := batches.Get().(*Batch)
	b.Partition = p
	return b
}

// free gives b back; the caller has handed on or copied all of it.
func (b *Batch) free() {
	if cap(b.Records) > keepBytes {
		return
	}
	b.Reset()
	b.Origins = b.Origins[:0]
	b.said = false
	batches.Put(b)
}

const originBytes = 16

// bytes is the memory that b's records take, the sum of their recordBytes.
func (b *Batch) bytes() int { return len(b.Records) + originBytes*len(b.Origins) }

func recordBytes(r []byte) int { return len(r) + originBytes }

// Offsets in the header of an encoded record.
const (
	offPosition = 8
	offCause    = 16
	offStream   = 20
	offKey      = 24
	offTotal    = 36
	nullLength  = ^uint32(0)
)

func recordSize(r []byte) int { return int(binary.LittleEndian.Uint32(r[offTotal:])) }

func timeOf(r []byte) int64 { return int64(binary.LittleEndian.Uint64(r)) }

func isKeyless(r []byte) bool { return binary.LittleEndian.Uint32(r[offKey:]) == nullLength }

func positionOf(r []byte) record.Position {
	return record.Position(binary.LittleEndian.Uint64(r[offPosition:]))
}

func putPosition(r []byte, p record.Position) {
	binary.LittleEndian.PutUint64(r[offPosition:], uint64(p))
}

// addRaw appends an encoded record that becomes input of another step.
func (b *Batch) addRaw(rec []byte, o Origin) {
	b.Records = append(b.Records, rec...)
	b.Count++
	b.Origins = append(b.Origins, o)
}

// each yields the index and the encoded form of each record.
func (b *Batch) each() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := b.Records
		for i := range b.Count {
			n := recordSize(rest)
			if !yield(i, rest[:n:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// setInput prepares b as input number stream of a step: the position of a
// record in the partition stays, its cause has no meaning any more.
func (b *Batch) setInput(stream uint16) {
	for _, r := range b.each() {
		binary.LittleEndian.PutUint32(r[offCause:], 0)
		binary.LittleEndian.PutUint16(r[offStream:], stream)
	}
}

// slice returns the records [lo, hi) as a view.
func (b *Batch) slice(lo, hi int) *Batch {
	from, to, off := 0, 0, 0
	for i, r := range b.each() {
		if i == lo {
			from = off
		}
		if off += len(r); i == hi-1 {
			to = off
			break
		}
	}
	v := &Batch{Batch: b.Batch, Origins: b.Origins[lo:hi], said: b.said}
	v.Records, v.Count = b.Records[from:to:to], hi-lo
	return v
}

// without returns a copy of b that lacks the records at the given indices,
// which are in ascending order.
func (b *Batch) without(indices []uint32) *Batch {
	c := &Batch{Batch: wire.Batch{Partition: b.Partition}}
	for i, r := range b.each() {
		if _, found := slices.BinarySearch(indices, uint32(i)); !found {
			c.addRaw(r, b.Origins[i])
		}
	}
	return c
}

// clone returns a copy with buffers of its own.
func (b *Batch) clone() *Batch {
	c := newBatch(b.Partition)
	c.Records = append(c.Records, b.Records...)
	c.Count = b.Count
	c.Origins = append(c.Origins, b.Origins...)
	return c
}

// pieces yields b in views of at most the given bytes and as many records as
// records says before each, at least one; b itself if it is small enough.
func (b *Batch) pieces(records func() int, bytes int) iter.Seq[*Batch] {
	return func(yield func(*Batch) bool) {
		most := records()
		if b.Count <= most && len(b.Records) <= bytes {
			yield(b)
			return
		}
		var p Batch
		lo, from, off := 0, 0, 0
		cut := func(hi int) bool {
			p = Batch{Batch: b.Batch, Origins: b.Origins[lo:hi]}
			p.Records, p.Count = b.Records[from:off:off], hi-lo
			lo, from = hi, off
			goOn := yield(&p)
			most = records()
			return goOn
		}
		for i, r := range b.each() {
			if i > lo && (i-lo >= most || off+len(r)-from > bytes) && !cut(i) {
				return
			}
			off += len(r)
		}
		if lo < b.Count {
			cut(b.Count)
		}
	}
}
