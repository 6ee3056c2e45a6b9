package admit

import (
	"fmt"
	"unicode/utf8"
)

// reader reads a module's bytes. After the first fault it returns zeroes and
// keeps the fault, so that callers check once.
type reader struct {
	b   []byte
	off int // of b[0] in the module
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: %s", r.off, fmt.Sprintf(format, args...))
		r.b = nil
	}
}

func (r *reader) skip(n int) { r.b, r.off = r.b[n:], r.off+n }

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail("the module ends early")
		return 0
	}
	c := r.b[0]
	r.skip(1)
	return c
}

// uint reads an unsigned LEB128 of at most bits bits.
func (r *reader) uint(bits int) uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if r.err != nil {
			return 0
		}
		if shift+7 > bits && c>>(bits-shift) != 0 {
			r.fail("a number does not fit into %d bits", bits)
			return 0
		}
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			return v
		}
	}
}

func (r *reader) u32() uint32 { return uint32(r.uint(32)) }

// count reads the number of entries of a vector, each of which takes at
// least size bytes, so that no loop and no allocation outgrows the module.
func (r *reader) count(size int) int {
	n := r.u32()
	if uint64(n)*uint64(size) > uint64(len(r.b)) {
		r.fail("%d entries do not fit into %d bytes", n, len(r.b))
		return 0
	}
	return int(n)
}

// bytes reads a length and as many bytes; they are a view.
func (r *reader) bytes() []byte {
	n := r.count(1)
	b := r.b[:n]
	r.skip(n)
	return b
}

func (r *reader) name() string {
	b := r.bytes()
	if !utf8.Valid(b) {
		r.fail("a name is not UTF-8")
		return ""
	}
	return string(b)
}
