package wasm

import (
	"fmt"
	"unicode/utf8"
)

// Error says what is wrong with a module and where.
type Error struct {
	Section string // as the specification calls it: "type", "code"; "" = the module as a whole
	Offset  int    // of the byte in the module
	Text    string
	Over    string // what there is more of than a cap allows, as Text calls it
}

func (e *Error) Error() string {
	if e.Section == "" {
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Text)
	}
	return fmt.Sprintf("%s section, byte %d: %s", e.Section, e.Offset, e.Text)
}

// reader reads a range of a module's bytes. After the first fault it returns
// zeroes and keeps the fault, so that callers look once.
type reader struct {
	b       []byte // the module
	pos     int
	end     int
	section string
	longest int // name in bytes, 0 = any
	err     *Error
}

func (r *reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Section: r.section, Offset: at, Text: fmt.Sprintf(format, args...)}
	}
	r.pos = r.end
}

// over is fail for more than a cap allows.
func (r *reader) over(at int, what, format string, args ...any) {
	if r.err == nil {
		r.fail(at, format, args...)
		r.err.Over = what
	}
}

func (r *reader) left() int { return r.end - r.pos }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.fail(r.pos, "the bytes end in the middle of something")
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// u32 reads an unsigned LEB128.
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.b[r.pos] < 0x80 {
		c := r.b[r.pos]
		r.pos++
		return uint32(c)
	}
	return uint32(r.unsigned(32))
}

func (r *reader) unsigned(bits int) uint64 {
	at := r.pos
	var v uint64
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if r.err != nil {
			return 0
		}
		if shift+7 > bits && c>>(bits-shift) != 0 {
			r.fail(at, "a number does not fit into %d bits", bits)
			return 0
		}
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			return v
		}
	}
}

// signed reads a signed LEB128 of at most bits bits.
func (r *reader) signed(bits int) int64 {
	at := r.pos
	var v int64
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if r.err != nil {
			return 0
		}
		if rest := bits - shift; rest < 7 {
			// The last byte: what is above the value's bits must repeat its sign.
			sign := int8(c<<1) >> rest // bit 6 is now the sign of an int8
			if c&0x80 != 0 || sign != 0 && sign != -1 {
				r.fail(at, "a number does not fit into %d bits", bits)
				return 0
			}
		}
		v |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			if used := shift + 7; used < 64 && c&0x40 != 0 {
				v |= -1 << used
			}
			return v
		}
	}
}

// count reads the number of entries of a vector, each of which takes at
// least size bytes, so that no loop and no allocation outgrows the module.
func (r *reader) count(size int) int {
	at := r.pos
	n := r.u32()
	if uint64(n)*uint64(size) > uint64(r.left()) {
		r.fail(at, "%d entries do not fit into the %d bytes that are left", n, r.left())
		return 0
	}
	return int(n)
}

// counted is count for things of which at most limit are allowed; 0 = any number.
func (r *reader) counted(size, limit int, of string) int {
	at := r.pos
	n := r.count(size)
	if limit > 0 && n > limit {
		r.over(at, of, "%d %s, at most %d are allowed", n, of, limit)
		return 0
	}
	return n
}

// bytes reads n bytes; they are a view.
func (r *reader) bytes(n int) []byte {
	if n > r.left() {
		r.fail(r.pos, "%d bytes are wanted, %d are left", n, r.left())
		return nil
	}
	b := r.b[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

// name reads a length and a UTF-8 name.
func (r *reader) name() string {
	at := r.pos
	n := r.count(1)
	if r.longest > 0 && n > r.longest {
		r.over(at, "bytes of a name", "a name of %d bytes, at most %d are allowed", n, r.longest)
	}
	b := r.bytes(n)
	if !utf8.Valid(b) {
		r.fail(at, "a name is not UTF-8")
		return ""
	}
	return string(b)
}
