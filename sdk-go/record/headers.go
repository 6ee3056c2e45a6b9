package record

import "iter"

// Headers are a record's headers in order. The zero value has none; a copy
// shares the bytes of the original, so that handing the headers of an input
// on costs nothing.
type Headers struct {
	count uint32
	raw   []byte // for each: u32 length of the name, u32 of the value (all-ones is null), name, value
}

// Len returns how many headers there are.
func (h Headers) Len() int { return int(h.count) }

// Append returns h with one header more. A nil value is null. Like the
// built-in append it may write behind h, so only one of two results that
// began with the same h is good.
func (h Headers) Append(name string, value []byte) Headers {
	n := uint32(len(value))
	if value == nil {
		n = null
	}
	h.raw = append32(append32(h.raw, uint32(len(name))), n)
	h.raw = append(append(h.raw, name...), value...)
	h.count++
	return h
}

// All yields names and values as views.
func (h Headers) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		raw := h.raw
		for range h.count {
			n, v := int(get32(raw)), get32(raw[4:])
			raw = raw[8:]
			name := raw[:n:n]
			raw = raw[n:]
			var value []byte
			if v != null {
				value, raw = raw[:v:v], raw[v:]
			}
			if !yield(name, value) {
				return
			}
		}
	}
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

// headersEnd returns the offset in r behind count headers that begin at off.
func headersEnd(r []byte, off int, count uint32) (end int, ok bool) {
	for ; count > 0; count-- {
		if len(r)-off < 8 {
			return 0, false
		}
		n, v := uint64(get32(r[off:])), uint64(get32(r[off+4:]))
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
