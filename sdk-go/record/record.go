// Package record holds a step's records and the codec of frames in which they
// cross the border to the host. Steps use it through package wasmill.
package record

import "math"

// NoTime is the event time of a record that has none.
const NoTime int64 = math.MinInt64

// CauseBatch as the cause of a record says that its batch as a whole caused it.
const CauseBatch = ^uint32(0)

// Flags of a record say what it does to the row that its key names.
type Flags uint16

// The flags. A record without any is plain data.
const (
	Insert Flags = 1 << iota
	Update
	Delete
)

// Record is one record. A nil Key or Value is null, which differs from an
// empty one. The Key, Value and Headers of a record that the host handed out
// are views into the batch: they are good until the step's function returns
// and are not to be written to.
type Record struct {
	Time     int64  // event time in milliseconds since 1970, or NoTime; on the way out 0 = that of the cause
	Position int64  // in its partition; ignored on the way out
	Index    uint32 // in its batch; ignored on the way out
	Stream   uint16 // number of the step's input; ignored on the way out
	Flags    Flags
	Key      []byte
	Value    []byte
	Headers  Headers
}

// Len returns the bytes of key, value and headers: what a job's limit on
// records counts.
func (r *Record) Len() int {
	n := len(r.Key) + len(r.Value)
	if r.Headers.count > 0 {
		n += len(r.Headers.raw)
	}
	return n
}

// Size returns the bytes in a frame of a record whose Len is n.
func Size(n int) int { return pad(headerSize + n) }
