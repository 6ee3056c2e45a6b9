package record

import "slices"

// Builder makes frames of records in one buffer, which it keeps.
type Builder struct {
	buf   []byte
	count uint32
}

// Reset begins a frame for a partition. A step's own frames name none.
func (b *Builder) Reset(name string, number uint32) {
	base := frameHeaderSize + pad(len(name))
	b.count = 0
	b.buf = slices.Grow(b.buf[:0], base)[:base]
	clear(b.buf)
	put32(b.buf, magic)
	put16(b.buf[4:], version)
	put16(b.buf[6:], kindRecords)
	put32(b.buf[16:], number)
	put32(b.buf[20:], uint32(len(name)))
	copy(b.buf[frameHeaderSize:], name)
}

// Len returns the bytes of the frame so far, Count its records.
func (b *Builder) Len() int   { return len(b.buf) }
func (b *Builder) Count() int { return int(b.count) }

// Place is what a frame says of a record beside the Record itself.
type Place struct {
	Time, Position int64
	Cause          uint32
	Stream         uint16
}

// Add appends r at place; r's own Time, Position and Stream do not count.
// size is Size(r.Len()).
func (b *Builder) Add(r *Record, size int, at Place) {
	n := len(b.buf)
	if cap(b.buf)-n < size {
		b.buf = slices.Grow(b.buf, size)
	}
	b.buf = b.buf[:n+size]
	p := b.buf[n:]
	h := p[:headerSize] // one check of bounds for all fields
	put64(h, uint64(at.Time))
	put64(h[8:], uint64(at.Position))
	put32(h[16:], at.Cause)
	put16(h[20:], at.Stream)
	put16(h[22:], uint16(r.Flags))
	put32(h[24:], length(r.Key))
	put32(h[28:], length(r.Value))
	put32(h[32:], r.Headers.count)
	put32(h[36:], uint32(size))
	if size > headerSize {
		put64(p[size-8:], 0) // the padding; the content then overwrites its part
	}
	body := p[headerSize:]
	k := copy(body, r.Key)
	v := copy(body[k:], r.Value)
	if r.Headers.count > 0 {
		copy(body[k+v:], r.Headers.raw)
	}
	b.count++
}

// Frame returns the finished frame, a view that is good until the next Reset.
func (b *Builder) Frame() []byte {
	put32(b.buf[8:], b.count)
	put32(b.buf[12:], uint32(len(b.buf)))
	return b.buf
}
