package marshal

import (
	"fmt"
	"math"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
)

// Decoder reads what calls return. The zero value is ready and has no limits
// but that of frames. In the steady state it allocates nothing.
type Decoder struct {
	RecordLimit int // bytes of a record's key, value and headers; 0 = none
	EmitLimit   int // bytes of a frame; 0 = 1 GiB

	cursor
	records uint32 // in frame
	frame   []byte
	spent   int // bytes that were written or passed over, and are not in frame
	fails   []Fail
	writes  []Write
	bad     string // why the record cannot be emitted
	code    int32  // that goes with bad
}

// Return reads the content of a return. outputs is how many the step has. An
// error means that the guest broke the interface.
func (d *Decoder) Return(content []byte, outputs int) (e Effects, err error) {
	d.begin(content)
	d.frame, d.fails, d.writes, d.records, d.spent = d.frame[:0], d.fails[:0], d.writes[:0], 0, 0
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(*fault)
			if !ok {
				panic(r)
			}
			if f.tooLong {
				e, err = Effects{Refused: abi.E2BIG, Reason: f.what}, nil
			} else {
				e, err = Effects{}, f
			}
		}
	}()
	d.tuple("a return", 4)
	e.Want = Want(d.intIn("want", 0, math.MaxUint32))
	n, back := d.sequence("the records emitted")
	for range n {
		d.emit(outputs)
		if d.bad != "" {
			return Effects{Refused: abi.EINVAL, Reason: d.bad}, nil
		}
	}
	d.leave(back)
	n, back = d.sequence("the records failed")
	for range n {
		d.fail()
	}
	d.leave(back)
	n, back = d.sequence("the writes")
	for range n {
		d.write()
	}
	d.leave(back)
	if d.at != len(d.b) {
		d.fault("%d bytes are left over", len(d.b)-d.at)
	}
	if d.records > 0 {
		b := wire.Batch{Count: int(d.records), Records: d.frame[wire.HeaderSize:]}
		b.PutFrame(d.frame)
		e.Frame = d.frame
	}
	e.Fails, e.Writes = d.fails, d.writes
	return e, nil
}

// bound ends a call that emits too much, as it writes byte n of the frame.
// What was written or read in vain counts too: a guest can refer to one value a
// million times.
func (d *Decoder) bound(n int) {
	limit := d.EmitLimit
	if limit == 0 {
		limit = 1 << 30
	}
	if n+d.spent > limit {
		panic(&fault{at: d.at, what: fmt.Sprintf("it emitted more than %d bytes in one call", limit), tooLong: true})
	}
}

// maxAside is how many rejections and writes a call may return: each takes
// more here than where a guest refers to it again and again.
const maxAside = 1 << 20

func (d *Decoder) boundAside() {
	if len(d.fails)+len(d.writes) > maxAside {
		panic(&fault{at: d.at, what: fmt.Sprintf("it returned more than %d rejections and writes in one call", maxAside), tooLong: true})
	}
}

func (d *Decoder) fail() {
	back := d.tuple("a failure", 3)
	f := Fail{Index: uint32(d.intIn("an index", 0, math.MaxUint32)), Code: int32(d.intIn("a code", math.MinInt32, math.MaxInt32))}
	kind, behind := d.enter()
	switch {
	case isText(kind):
		f.Text = d.raw(kind)
	case kind == typeBytes:
		f.Text = d.take(d.size())
	default:
		d.other(kind, "a text", "text or bytes")
	}
	d.leave(behind)
	d.leave(back)
	d.fails = append(d.fails, f)
	d.boundAside()
}

func (d *Decoder) write() {
	back := d.tuple("a write", 3)
	w := Write{Store: uint32(d.intIn("a store", 0, math.MaxUint32)), Key: d.bytes("a key")}
	w.Value, w.Delete = d.bytesOrNone("a value")
	d.leave(back)
	d.writes = append(d.writes, w)
	d.boundAside()
}
