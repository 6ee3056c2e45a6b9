// Package record holds the words for both sides of every border: Record,
// Header, Partition, Position.
package record

import (
	"encoding/binary"
	"iter"
	"math"
)

// NoTime is the event time of a record that has none.
const NoTime int64 = math.MinInt64

// Position is a place in one partition and means the next record to read.
// Only its source gives it a meaning: an offset in a topic, a byte in a file.
type Position int64

// Partition names an ordered sequence of records: a topic's partition, a
// file, a partition of an exchange.
type Partition struct {
	Name   string // topic, path as bytes, or exchange
	Number uint32 // the topic's or exchange's partition; for a file a hash of its path
}

// Flags of a record say what it does to the row that its key names.
type Flags uint16

// The flags. A record without any is plain data.
const (
	Insert Flags = 1 << iota
	Update
	Delete
)

// Record is one record. Key, Value and Headers.Raw are views into a buffer
// that somebody else owns: a Record is good until that buffer is used again.
// A nil Key or Value is null, which differs from an empty one.
type Record struct {
	Time     int64    // event time in milliseconds since 1970, or NoTime
	Position Position // of this record in its partition; 0 on the way out of a guest
	Cause    uint32   // index of the input that caused it, or abi.CauseBatch; 0 on the way in
	Stream   uint16   // number of the step's input on the way in, of its output on the way out
	Flags    Flags
	Key      []byte
	Value    []byte
	Headers  Headers
}

// Headers are a record's headers in their encoded form: for each a u32
// length of the name, a u32 length of the value (all-ones is null), name, value.
type Headers struct {
	Count int
	Raw   []byte
}

// Append returns h with one header more. It may reuse h.Raw.
func (h Headers) Append(name string, value []byte) Headers {
	h.Raw = binary.LittleEndian.AppendUint32(h.Raw, uint32(len(name)))
	n := uint32(len(value))
	if value == nil {
		n = math.MaxUint32
	}
	h.Raw = binary.LittleEndian.AppendUint32(h.Raw, n)
	h.Raw = append(append(h.Raw, name...), value...)
	h.Count++
	return h
}

// All yields the headers in order; names and values are views into Raw. It
// ends early if Raw is not well formed, which a parsed frame never is.
func (h Headers) All() iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		raw := h.Raw
		for range h.Count {
			if len(raw) < 8 {
				return
			}
			n := uint64(binary.LittleEndian.Uint32(raw))
			v := uint64(binary.LittleEndian.Uint32(raw[4:]))
			null := v == math.MaxUint32
			if null {
				v = 0
			}
			raw = raw[8:]
			if n+v > uint64(len(raw)) {
				return
			}
			var value []byte
			if !null {
				value = raw[n : n+v : n+v]
			}
			if !yield(raw[:n:n], value) {
				return
			}
			raw = raw[n+v:]
		}
	}
}

// Size returns the bytes of Raw that the headers take; what follows is padding.
func (h Headers) Size() int {
	n := 0
	for name, value := range h.All() {
		n += 8 + len(name) + len(value)
	}
	return n
}

// Get returns the value of the first header with that name.
func (h Headers) Get(name string) (value []byte, ok bool) {
	for n, v := range h.All() {
		if string(n) == name {
			return v, true
		}
	}
	return nil, false
}
