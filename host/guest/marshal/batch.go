package marshal

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// Want says in which form a guest gets the values of records.
type Want uint32

// A guest may want both. One that wants neither gets bytes.
const (
	WantBytes Want = 1 << iota // as they are
	WantJSON                   // as json.loads decodes them, wherever that can be done exactly
)

var encoders = sync.Pool{New: func() any { return newEncoder() }}

// AppendBatch appends the content of a call for batch b: what b holds has been
// checked. The only error is that the content is too long for marshal, 2 GiB;
// a smaller batch may fit. In the steady state nothing is allocated but what
// dst lacks.
func AppendBatch(dst []byte, b *wire.Batch, want Want) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.begin()
	start := len(dst)
	dst = append(dst, typeFew, 4)
	dst = appendInt(dst, int64(b.Partition.Number))
	dst = appendSized(dst, typeBytes, len(b.Partition.Name))
	dst = append(dst, b.Partition.Name...)
	all := len(dst)
	dst = append(dst, typeTrue)
	dst = appendSized(dst, typeList, b.Count)
	var r record.Record
	recs := b.Records
	for range b.Count {
		recs = wire.Next(recs, &r)
		var ok bool
		if dst, ok = e.row(dst, &r, want); !ok {
			dst[all] = typeFalse
		}
		if n := len(dst) - start; n > math.MaxInt32 {
			return dst[:start], fmt.Errorf("marshal: a batch of %d records takes more than %d bytes", b.Count, math.MaxInt32)
		}
	}
	e.end()
	return dst, nil
}

// row appends one record. It reports whether that has a value decoded from JSON.
func (e *encoder) row(dst []byte, r *record.Record, want Want) (_ []byte, decoded bool) {
	dst = append(dst, typeFew, 8)
	dst = appendBytes(dst, r.Key)
	value := len(dst)
	if want&WantJSON != 0 && r.Value != nil {
		if want&WantBytes != 0 {
			dst = appendBytes(dst, r.Value)
		} else {
			dst = append(dst, typeEllipsis)
		}
		dst, decoded = e.loads(dst, r.Value)
	}
	if !decoded {
		dst = append(appendBytes(dst[:value], r.Value), typeEllipsis)
	}
	if r.Time == record.NoTime {
		dst = append(dst, typeNone)
	} else {
		dst = appendInt(dst, r.Time)
	}
	dst = appendInt(dst, int64(r.Position))
	dst = appendInt(dst, int64(r.Stream))
	dst = appendInt(dst, int64(r.Flags))
	return appendHeaders(dst, &r.Headers), decoded
}

func appendHeaders(dst []byte, h *record.Headers) []byte {
	if h.Count == 0 {
		return append(dst, typeFew, 0)
	}
	dst = appendSized(dst, typeTuple, h.Count)
	for name, value := range h.All() {
		dst = append(dst, typeFew, 2)
		dst = appendBytes(appendBytes(dst, name), value)
	}
	return dst
}

// appendInt appends an integer as the shortest value of marshal that holds it.
func appendInt(dst []byte, v int64) []byte {
	if v == int64(int32(v)) {
		return binary.LittleEndian.AppendUint32(append(dst, typeInt), uint32(v))
	}
	if v < 0 {
		return appendLong(dst, uint64(-v), true)
	}
	return appendLong(dst, uint64(v), false)
}

// appendLong appends an integer by its absolute value.
func appendLong(dst []byte, abs uint64, negative bool) []byte {
	at := len(dst)
	dst = appendSized(dst, typeLong, 0)
	count := int32(0)
	for ; abs > 0; abs >>= 15 {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(abs&0x7fff))
		count++
	}
	if negative {
		count = -count
	}
	binary.LittleEndian.PutUint32(dst[at+1:], uint32(count))
	return dst
}
