package marshal

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// emit adds one record to the frame. One that cannot be encoded rejects its
// cause, or is left in bad if that is the batch.
func (d *Decoder) emit(outputs int) {
	if len(d.frame) == 0 {
		d.frame = append(d.frame, make([]byte, wire.HeaderSize)...)
	}
	back := d.tuple("a record", 7)
	d.bad, d.code = "", codePanic
	start := len(d.frame)
	cause := d.intIn("a cause", -1, math.MaxUint32-1)
	output := d.intIn("an output", 0, int64(outputs)-1)
	f := append(d.frame, make([]byte, wire.RecordHeaderSize)...)
	le := binary.LittleEndian
	le.PutUint32(f[start+16:], uint32(cause))
	le.PutUint16(f[start+20:], uint16(output))

	key, null := d.bytesOrNone("a key")
	f = append(f, key...)
	le.PutUint32(f[start+24:], length(len(key), null))

	value := len(f)
	f, null = d.put(f)
	le.PutUint32(f[start+28:], length(len(f)-value, null))

	time := record.NoTime
	if !d.none() {
		time = d.intIn("an event time", math.MinInt64+1, math.MaxInt64)
	}
	le.PutUint64(f[start:], uint64(time))
	le.PutUint16(f[start+22:], uint16(d.intIn("flags", 0, math.MaxUint16)))
	headers, behind := d.sequence("headers")
	le.PutUint32(f[start+32:], uint32(headers))
	for range headers {
		f = d.header(f)
	}
	d.leave(behind)
	d.leave(back)
	f = append(f, make([]byte, -len(f)&7)...)
	d.bound(len(f))
	size := len(f) - start
	le.PutUint32(f[start+36:], uint32(size))
	if d.bad == "" && d.RecordLimit > 0 && size > d.RecordLimit+wire.RecordHeaderSize+8 {
		d.bad, d.code = fmt.Sprintf("emit: a record of %d bytes is longer than the limit of %d", size, d.RecordLimit), 0
	}
	if d.bad == "" {
		d.frame = f
		d.records++
		return
	}
	d.frame = f[:start]
	d.spent += size
	if cause >= 0 {
		d.fails = append(d.fails, Fail{Index: uint32(cause), Code: d.code, Text: []byte(d.bad)})
		d.bad = ""
	}
}

// put appends a record's value: bytes as they are, None as null, the rest as
// JSON.
func (d *Decoder) put(dst []byte) (_ []byte, null bool) {
	if d.none() {
		return dst, true
	}
	start, at := len(dst), d.at
	kind, back := d.enter()
	if kind == typeBytes {
		dst = append(dst, d.take(d.size())...)
		d.leave(back)
		return dst, false
	}
	d.at = at
	if dst = d.dumps(dst, 0); d.bad != "" {
		d.spent += len(dst) - start
		d.at = at
		d.skip(0)
		d.spent += d.at - at
		dst = dst[:start]
	}
	return dst, false
}

func (d *Decoder) header(dst []byte) []byte {
	back := d.tuple("a header", 2)
	name := d.bytes("a header's name")
	value, null := d.bytesOrNone("a header's value")
	d.leave(back)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(name)))
	dst = binary.LittleEndian.AppendUint32(dst, length(len(value), null))
	dst = append(append(dst, name...), value...)
	d.bound(len(dst))
	return dst
}

// length is what a frame has for the length of a key or a value.
func length(n int, null bool) uint32 {
	if null {
		return math.MaxUint32
	}
	return uint32(n)
}
