package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
)

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
	if err := Check(b, off); err != nil {
		return Batch{}, err
	}
	return b, nil
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
	if !zeroTail(frame[:body], HeaderSize+int(name)) {
		return Batch{}, 0, fault(HeaderSize+int(name), -1, "the padding of the partition's name is not zero")
	}
	count := uint64(le.Uint32(frame[8:]))
	if count*RecordHeaderSize > uint64(len(frame)-body) {
		return Batch{}, 0, fault(8, -1, "%d records do not fit into %d bytes", count, len(frame)-body)
	}
	return Batch{
		Partition: record.Partition{Name: string(frame[HeaderSize : HeaderSize+name]), Number: le.Uint32(frame[16:])},
		Count:     int(count),
		Records:   frame[body:len(frame):len(frame)],
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
		if !zeroTail(r[:total], end) {
			return fault(base+off+end, i, "the padding is not zero")
		}
		off += int(total)
	}
	if off != len(recs) {
		return fault(base+off, -1, "%d bytes are left over after %d records", len(recs)-off, b.Count)
	}
	return nil
}

// zeroTail reports whether b is zero from off to its end, which is fewer than
// 8 bytes away. b has a length of 8 at least.
func zeroTail(b []byte, off int) bool {
	n := len(b) - off
	return n == 0 || binary.LittleEndian.Uint64(b[len(b)-8:])>>(64-8*n) == 0
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
