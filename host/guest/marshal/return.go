package marshal

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// Decoder reads what calls return. The zero value is ready and has no limits.
// In the steady state it allocates nothing.
type Decoder struct {
	RecordLimit int // bytes of a record's key, value and headers; 0 = none
	EmitLimit   int // bytes of a frame; 0 = none

	cursor
	count  uint32 // records in frame
	frame  []byte
	fails  []Fail
	writes []Write
	bad    string // why the record cannot be emitted
	code   int32  // that goes with bad
}

// fault is what makes content no value of a return. It is thrown by a cursor
// and caught by Return.
type fault struct {
	at   int
	what string
}

func (f *fault) Error() string {
	return fmt.Sprintf("marshal: byte %d: %s", f.at, f.what)
}

// Return reads the content of a return. outputs is how many the step has. An
// error means that the guest broke the interface.
func (d *Decoder) Return(content []byte, outputs int) (e Effects, err error) {
	d.cursor = cursor{b: content}
	d.frame, d.fails, d.writes, d.count = d.frame[:0], d.fails[:0], d.writes[:0], 0
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(*fault)
			if !ok {
				panic(r)
			}
			e, err = Effects{}, f
		}
	}()
	d.tuple("a return", 4)
	e.Want = Want(d.intIn("want", 0, math.MaxUint32))
	for range d.sequence("the records emitted") {
		d.emit(outputs)
		if d.bad != "" {
			return Effects{Refused: abi.EINVAL, Reason: d.bad}, nil
		}
		if d.EmitLimit > 0 && len(d.frame) > d.EmitLimit {
			return Effects{Refused: abi.E2BIG, Reason: fmt.Sprintf("it emitted more than %d bytes in one call", d.EmitLimit)}, nil
		}
	}
	for range d.sequence("the records failed") {
		d.fail()
	}
	for range d.sequence("the writes") {
		d.write()
	}
	if d.at != len(d.b) {
		d.fault("%d bytes are left over", len(d.b)-d.at)
	}
	if d.count > 0 {
		d.closeFrame()
		e.Frame = d.frame
	}
	e.Fails, e.Writes = d.fails, d.writes
	return e, nil
}

// emit adds one record to the frame. One that cannot be encoded rejects its
// cause, or is left in bad if that is the batch.
func (d *Decoder) emit(outputs int) {
	if len(d.frame) == 0 {
		d.frame = append(d.frame, make([]byte, wire.HeaderSize)...)
	}
	d.tuple("a record", 7)
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
	f, null = d.value(f)
	le.PutUint32(f[start+28:], length(len(f)-value, null))

	time := record.NoTime
	if !d.none() {
		time = d.intIn("an event time", math.MinInt64+1, math.MaxInt64)
	}
	le.PutUint64(f[start:], uint64(time))
	le.PutUint16(f[start+22:], uint16(d.intIn("flags", 0, math.MaxUint16)))
	headers := d.sequence("headers")
	le.PutUint32(f[start+32:], uint32(headers))
	for range headers {
		f = d.header(f)
	}
	f = append(f, make([]byte, -len(f)&7)...)
	size := len(f) - start
	le.PutUint32(f[start+36:], uint32(size))
	if d.bad == "" && d.RecordLimit > 0 && size > d.RecordLimit+wire.RecordHeaderSize+8 {
		d.bad, d.code = fmt.Sprintf("emit: a record of %d bytes is longer than the limit of %d", size, d.RecordLimit), 0
	}
	if d.bad == "" {
		d.frame = f
		d.count++
		return
	}
	d.frame = f[:start]
	if cause >= 0 {
		d.fails = append(d.fails, Fail{Index: uint32(cause), Code: d.code, Text: []byte(d.bad)})
		d.bad = ""
	}
}

// value appends a record's value: bytes as they are, None as null, the rest as
// JSON.
func (d *Decoder) value(dst []byte) (_ []byte, null bool) {
	switch d.peek() {
	case typeBytes:
		return append(dst, d.bytes("a value")...), false
	case typeNone:
		d.at++
		return dst, true
	}
	start, at := len(dst), d.at
	if dst = d.dumps(dst, 0); d.bad != "" {
		d.at = at
		d.skip(0)
		dst = dst[:start]
	}
	return dst, false
}

func (d *Decoder) header(dst []byte) []byte {
	d.tuple("a header", 2)
	name := d.bytes("a header's name")
	value, null := d.bytesOrNone("a header's value")
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(name)))
	dst = binary.LittleEndian.AppendUint32(dst, length(len(value), null))
	return append(append(dst, name...), value...)
}

// length is what a frame has for the length of a key or a value.
func length(n int, null bool) uint32 {
	if null {
		return math.MaxUint32
	}
	return uint32(n)
}

func (d *Decoder) closeFrame() {
	b := wire.Batch{Count: int(d.count), Records: d.frame[wire.HeaderSize:]}
	b.PutFrame(d.frame)
}

func (d *Decoder) fail() {
	d.tuple("a failure", 3)
	f := Fail{Index: uint32(d.intIn("an index", 0, math.MaxUint32)), Code: int32(d.intIn("a code", math.MinInt32, math.MaxInt32))}
	if d.peek() == typeStr {
		f.Text = d.str()
	} else {
		f.Text = d.bytes("a text")
	}
	d.fails = append(d.fails, f)
}

func (d *Decoder) write() {
	d.tuple("a write", 3)
	w := Write{Store: uint32(d.intIn("a store", 0, math.MaxUint32)), Key: d.bytes("a key")}
	w.Value, w.Delete = d.bytesOrNone("a value")
	d.writes = append(d.writes, w)
}
