// Package wire is the codec of frames: how batches of records look in the
// memory of a guest, in a file descriptor and in a queue. abi/SPEC.md gives
// the layout byte by byte. Nothing is ever allocated from an unchecked count,
// and encoding and decoding allocate nothing in the steady state.
package wire

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
)

// Sizes and marks of the layout.
const (
	HeaderSize       = 32
	RecordHeaderSize = 40
	Magic            = 0x314c4d57 // "WML1", little-endian
	null             = math.MaxUint32
)

// Kind says what a frame carries.
type Kind uint16

// The kinds of frames in memory. Those of the file descriptor carrier begin at 0x100.
const (
	KindRecords Kind = 1
	KindLookup  Kind = 2
	KindTimers  Kind = 3
)

// Batch is a run of encoded records of one partition. Records may alias a
// frame, and then is good for as long as that, or be built by Add, and then is
// the Batch's own; its length is a multiple of 8. The zero value is empty.
type Batch struct {
	Partition record.Partition
	Count     int
	Records   []byte
}

// pad returns n rounded up to a multiple of 8.
func pad(n int) int { return (n + 7) &^ 7 }

// FrameSize returns the bytes that b needs as a frame.
func (b *Batch) FrameSize() int {
	return HeaderSize + pad(len(b.Partition.Name)) + len(b.Records)
}

// PutFrame writes b as a frame of records into dst, which has FrameSize bytes.
func (b *Batch) PutFrame(dst []byte) {
	le := binary.LittleEndian
	le.PutUint32(dst, Magic)
	le.PutUint16(dst[4:], abi.Version)
	le.PutUint16(dst[6:], uint16(KindRecords))
	le.PutUint32(dst[8:], uint32(b.Count))
	le.PutUint32(dst[12:], uint32(len(dst)))
	le.PutUint32(dst[16:], b.Partition.Number)
	le.PutUint32(dst[20:], uint32(len(b.Partition.Name)))
	le.PutUint64(dst[24:], 0)
	n := HeaderSize + copy(dst[HeaderSize:], b.Partition.Name)
	body := HeaderSize + pad(len(b.Partition.Name))
	clear(dst[n:body])
	copy(dst[body:], b.Records)
}

// AppendFrame appends b as a frame of records.
func (b *Batch) AppendFrame(dst []byte) []byte {
	n, size := len(dst), b.FrameSize()
	dst = slices.Grow(dst, size)[:n+size]
	b.PutFrame(dst[n:])
	return dst
}

// Add appends rec to b, whose Records are its own. rec may be a view of
// another batch.
func (b *Batch) Add(rec *record.Record) {
	b.Records = AppendRecord(b.Records, rec)
	b.Count++
}

// Reset empties b and keeps its buffer.
func (b *Batch) Reset() {
	b.Count, b.Records = 0, b.Records[:0]
}
