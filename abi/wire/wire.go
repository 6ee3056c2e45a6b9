// Package wire is the codec of frames: how batches of records look in the
// memory of a guest, in a file descriptor and in a queue. abi/SPEC.md gives
// the layout byte by byte. Nothing is ever allocated from an unchecked count,
// and encoding and decoding allocate nothing in the steady state.
package wire

import (
	"encoding/binary"
	"fmt"
	"math"

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
// frame or be built by AppendRecord; its length is a multiple of 8.
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
	n := len(dst)
	dst = append(dst, make([]byte, b.FrameSize())...)
	b.PutFrame(dst[n:])
	return dst
}

// Error is a fault in a frame: where it is and what is wrong.
type Error struct {
	Offset int    // of the field at fault, in bytes from the start of the frame
	Record int    // index of the record at fault, -1 for the frame itself
	What   string // what is wrong, with the value
}

func (e *Error) Error() string {
	if e.Record < 0 {
		return fmt.Sprintf("wire: byte %d: %s", e.Offset, e.What)
	}
	return fmt.Sprintf("wire: record %d, byte %d: %s", e.Record, e.Offset, e.What)
}

func fault(off, rec int, format string, args ...any) error {
	return &Error{Offset: off, Record: rec, What: fmt.Sprintf(format, args...)}
}

// Parse checks the whole frame, every record included, and returns a view of
// it: nothing is copied but the partition's name. A frame of another kind
// than KindRecords is a fault. The error is an *Error.
func Parse(frame []byte) (Batch, error) {
	b, off, err := parseHeader(frame)
	if err != nil {
		return Batch{}, err
	}
	return b, Check(b, off)
}

func parseHeader(frame []byte) (Batch, int, error) {
	le := binary.LittleEndian
	if len(frame) < HeaderSize {
		return Batch{}, 0, fault(0, -1, "a frame has %d bytes at least, this one %d", HeaderSize, len(frame))
	}
	if m := le.Uint32(frame); m != Magic {
		return Batch{}, 0, fault(0, -1, "magic is %#x, not %#x", m, uint32(Magic))
	}
	if v := le.Uint16(frame[4:]); v != abi.Version {
		return Batch{}, 0, fault(4, -1, "version is %d, not %d", v, abi.Version)
	}
	if k := Kind(le.Uint16(frame[6:])); k != KindRecords {
		return Batch{}, 0, fault(6, -1, "kind is %d, not %d (records)", k, KindRecords)
	}
	if n := le.Uint32(frame[12:]); uint64(n) != uint64(len(frame)) {
		return Batch{}, 0, fault(12, -1, "size is %d, but the frame has %d bytes", n, len(frame))
	}
	if r := le.Uint64(frame[24:]); r != 0 {
		return Batch{}, 0, fault(24, -1, "reserved bytes are %#x, not zero", r)
	}
	name := uint64(le.Uint32(frame[20:]))
	if HeaderSize+(name+7)&^7 > uint64(len(frame)) {
		return Batch{}, 0, fault(20, -1, "the partition's name of %d bytes does not fit", name)
	}
	body := HeaderSize + pad(int(name))
	count := uint64(le.Uint32(frame[8:]))
	if count*RecordHeaderSize > uint64(len(frame)-body) {
		return Batch{}, 0, fault(8, -1, "%d records do not fit into %d bytes", count, len(frame)-body)
	}
	return Batch{
		Partition: record.Partition{Name: string(frame[HeaderSize : HeaderSize+name]), Number: le.Uint32(frame[16:])},
		Count:     int(count),
		Records:   frame[body:],
	}, body, nil
}

// Check reports the first fault in b's records; base is the offset of
// b.Records in its frame, for the message.
func Check(b Batch, base int) error {
	le := binary.LittleEndian
	recs, off := b.Records, 0
	for i := range b.Count {
		r := recs[off:]
		if len(r) < RecordHeaderSize {
			return fault(base+off, i, "%d bytes are left, a record has %d at least", len(r), RecordHeaderSize)
		}
		total := uint64(le.Uint32(r[36:]))
		if total < RecordHeaderSize || total%8 != 0 || total > uint64(len(r)) {
			return fault(base+off+36, i, "size is %d: not a multiple of 8 between %d and the %d bytes left", total, RecordHeaderSize, len(r))
		}
		key, value := uint64(le.Uint32(r[24:])), uint64(le.Uint32(r[28:]))
		if key == null {
			key = 0
		}
		if value == null {
			value = 0
		}
		body := RecordHeaderSize + key + value
		if body > total {
			return fault(base+off+24, i, "key of %d and value of %d bytes do not fit into a record of %d", key, value, total)
		}
		end, ok := headersEnd(r[:total], int(body), le.Uint32(r[32:]))
		if !ok {
			return fault(base+off+32, i, "%d headers do not fit into a record of %d bytes", le.Uint32(r[32:]), total)
		}
		if total-uint64(end) >= 8 {
			return fault(base+off+36, i, "size is %d, but the record ends at %d", total, end)
		}
		off += int(total)
	}
	if off != len(recs) {
		return fault(base+off, -1, "%d bytes are left over after %d records", len(recs)-off, b.Count)
	}
	return nil
}

// headersEnd returns the offset in r behind count headers that begin at off.
func headersEnd(r []byte, off int, count uint32) (int, bool) {
	for ; count > 0; count-- {
		if len(r)-off < 8 {
			return 0, false
		}
		n := uint64(binary.LittleEndian.Uint32(r[off:]))
		v := uint64(binary.LittleEndian.Uint32(r[off+4:]))
		if v == null {
			v = 0
		}
		off += 8
		if n+v > uint64(len(r)-off) {
			return 0, false
		}
		off += int(n + v)
	}
	return off, true
}

// Next decodes the first record of recs, which has been checked, into rec and
// returns what is behind it. rec's slices are views into recs.
func Next(recs []byte, rec *record.Record) (rest []byte) {
	le := binary.LittleEndian
	h := recs[:RecordHeaderSize]
	total := le.Uint32(h[36:])
	body := recs[RecordHeaderSize:total]
	rec.Time = int64(le.Uint64(h))
	rec.Position = record.Position(le.Uint64(h[8:]))
	rec.Cause = le.Uint32(h[16:])
	rec.Stream = le.Uint16(h[20:])
	rec.Flags = record.Flags(le.Uint16(h[22:]))
	rec.Key, rec.Value = nil, nil
	if n := le.Uint32(h[24:]); n != null {
		rec.Key, body = body[:n:n], body[n:]
	}
	if n := le.Uint32(h[28:]); n != null {
		rec.Value, body = body[:n:n], body[n:]
	}
	rec.Headers.Count = int(le.Uint32(h[32:]))
	rec.Headers.Raw = nil
	if rec.Headers.Count > 0 {
		rec.Headers.Raw = body
	}
	return recs[total:]
}

// Size returns the bytes that rec takes in a batch.
func Size(rec *record.Record) int {
	n := RecordHeaderSize + len(rec.Key) + len(rec.Value)
	if rec.Headers.Count > 0 {
		n += len(rec.Headers.Raw)
	}
	return pad(n)
}

// AppendRecord appends rec to dst, whose length is a multiple of 8.
func AppendRecord(dst []byte, rec *record.Record) []byte {
	size := Size(rec)
	n := len(dst)
	if cap(dst)-n < size {
		dst = append(dst, make([]byte, size)...)[:n]
	}
	dst = dst[:n+size]
	r := dst[n:]
	le := binary.LittleEndian
	le.PutUint64(r, uint64(rec.Time))
	le.PutUint64(r[8:], uint64(rec.Position))
	le.PutUint32(r[16:], rec.Cause)
	le.PutUint16(r[20:], rec.Stream)
	le.PutUint16(r[22:], uint16(rec.Flags))
	le.PutUint32(r[24:], length(rec.Key))
	le.PutUint32(r[28:], length(rec.Value))
	le.PutUint32(r[32:], uint32(rec.Headers.Count))
	le.PutUint32(r[36:], uint32(size))
	m := RecordHeaderSize
	m += copy(r[m:], rec.Key)
	m += copy(r[m:], rec.Value)
	if rec.Headers.Count > 0 {
		m += copy(r[m:], rec.Headers.Raw)
	}
	clear(r[m:])
	return dst
}

func length(b []byte) uint32 {
	if b == nil {
		return null
	}
	return uint32(len(b))
}

// Add appends rec to b.
func (b *Batch) Add(rec *record.Record) {
	b.Records = AppendRecord(b.Records, rec)
	b.Count++
}

// Reset empties b and keeps its buffer.
func (b *Batch) Reset() {
	b.Count, b.Records = 0, b.Records[:0]
}
