package wire

import (
	"encoding/binary"
	"slices"

	"github.com/wasmill/wasmill/abi/record"
)

// Next decodes the first record of recs, which has been checked, into rec and
// returns what is behind it. rec's slices are views into recs, clipped to
// their lengths, so that an append to one copies it.
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
	rec.Headers = record.Headers{}
	if n := le.Uint32(h[32:]); n > 0 {
		end, _ := headersEnd(body, 0, n)
		rec.Headers = record.Headers{Count: int(n), Raw: body[:end:end]}
	}
	return recs[total:]
}

// Size returns the bytes that rec takes in a batch. They must be fewer than
// 4 GiB, of which the limits of a job take care long before.
func Size(rec *record.Record) int {
	n := RecordHeaderSize + len(rec.Key) + len(rec.Value)
	if rec.Headers.Count > 0 {
		n += len(rec.Headers.Raw)
	}
	return pad(n)
}

// AppendRecord appends rec to dst, whose length is a multiple of 8. It
// allocates only if dst has no room.
func AppendRecord(dst []byte, rec *record.Record) []byte {
	size := Size(rec)
	n := len(dst)
	dst = slices.Grow(dst, size)[:n+size]
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
