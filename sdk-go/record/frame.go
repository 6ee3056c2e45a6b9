package record

import "errors"

// The layout of abi/SPEC.md.
const (
	frameHeaderSize = 32
	headerSize      = 40
	magic           = 0x314c4d57 // "WML1"
	version         = 1
	kindRecords     = 1
	null            = 1<<32 - 1
)

// ErrFrame is the error of a frame that is not well formed.
var ErrFrame = errors.New("wasmill: malformed frame of records")

// Frame is a view of a frame of records. Next walks over it.
type Frame struct {
	PartitionName   []byte
	PartitionNumber uint32
	Count           int // records in all

	recs  []byte
	rest  []byte
	index uint32
}

// Open checks the head of data, which is one whole frame, and makes f a view
// of it. The records are checked by Next.
func (f *Frame) Open(data []byte) error {
	*f = Frame{}
	if len(data) < frameHeaderSize || get32(data) != magic || get16(data[4:]) != version ||
		get16(data[6:]) != kindRecords || uint64(get32(data[12:])) != uint64(len(data)) || get64(data[24:]) != 0 {
		return ErrFrame
	}
	name := uint64(get32(data[20:]))
	body := frameHeaderSize + (name+7)&^7
	if body > uint64(len(data)) || !zeroTail(data[:body], int(frameHeaderSize+name)) {
		return ErrFrame
	}
	count := uint64(get32(data[8:]))
	if count*headerSize > uint64(len(data))-body {
		return ErrFrame
	}
	f.PartitionName = data[frameHeaderSize : frameHeaderSize+name : frameHeaderSize+name]
	f.PartitionNumber = get32(data[16:])
	f.Count = int(count)
	f.recs = data[body:]
	f.Rewind()
	return nil
}

// Rewind makes the first record the next one.
func (f *Frame) Rewind() { f.rest, f.index = f.recs, 0 }

// Next decodes the next record into r, its cause into cause, and reports
// whether there was one. The error is nil or ErrFrame.
func (f *Frame) Next(r *Record, cause *uint32) (ok bool, err error) {
	if int(f.index) == f.Count {
		if len(f.rest) != 0 {
			return false, ErrFrame
		}
		return false, nil
	}
	rest := f.rest
	if len(rest) < headerSize {
		return false, ErrFrame
	}
	h := rest[:headerSize] // one check of bounds for all fields
	total := get32(h[36:])
	if total < headerSize || total%8 != 0 || uint64(total) > uint64(len(rest)) {
		return false, ErrFrame
	}
	rec := rest[:total]
	key, value, headers := get32(h[24:]), get32(h[28:]), get32(h[32:])
	end := headerSize
	r.Key, r.Value, r.Headers = nil, nil, Headers{}
	if key != null {
		if uint64(key) > uint64(len(rec)-end) {
			return false, ErrFrame
		}
		r.Key = rec[end : end+int(key) : end+int(key)]
		end += int(key)
	}
	if value != null {
		if uint64(value) > uint64(len(rec)-end) {
			return false, ErrFrame
		}
		r.Value = rec[end : end+int(value) : end+int(value)]
		end += int(value)
	}
	if headers > 0 {
		start := end
		if end, ok = headersEnd(rec, end, headers); !ok {
			return false, ErrFrame
		}
		r.Headers = Headers{count: headers, raw: rec[start:end:end]}
	}
	if len(rec)-end >= 8 || !zeroTail(rec, end) {
		return false, ErrFrame
	}
	r.Time = int64(get64(h))
	r.Position = int64(get64(h[8:]))
	*cause = get32(h[16:])
	r.Stream = get16(h[20:])
	r.Flags = Flags(get16(h[22:]))
	r.Index = f.index
	f.rest = rest[total:]
	f.index++
	return true, nil
}
