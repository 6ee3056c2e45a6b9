package marshal

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// cursor reads values of marshal. Whatever is not as asked for is thrown as a
// *fault: content comes from a guest, and one place catches it.
type cursor struct {
	b     []byte
	at    int
	refs  []ref // the values that have a number, in order of their places
	value int   // the number of the value that enter began, -1 if it has none
}

// ref is a value that may be referred to.
type ref struct {
	at   int
	held bool // it is being read: what refers to it is a part of it
}

// fault is what makes content no value of a return.
type fault struct {
	at      int
	what    string
	tooLong bool // it may be one, but comes to more than a limit
}

func (f *fault) Error() string {
	return fmt.Sprintf("marshal: byte %d: %s", f.at, f.what)
}

func (c *cursor) begin(b []byte) {
	c.b, c.at, c.refs = b, 0, c.refs[:0]
}

func (c *cursor) fault(format string, args ...any) {
	panic(&fault{at: c.at, what: fmt.Sprintf(format, args...)})
}

// next returns the type of the value that comes next, as it stands.
func (c *cursor) next() byte {
	if c.at >= len(c.b) {
		c.fault("a value is missing")
	}
	return c.b[c.at]
}

// enter begins the value that comes next, which may be elsewhere, and returns
// its type and what leave takes at its end. The cursor is behind the type.
func (c *cursor) enter() (kind byte, back int) {
	kind, back = c.next(), -1
	c.value = -1
	if kind == typeRef {
		c.at++
		n := c.u32()
		if uint64(n) >= uint64(len(c.refs)) {
			c.fault("there is no value %d to refer to", n)
		}
		back, c.at = c.at, c.refs[n].at
		kind, c.value = c.b[c.at], int(n)
	} else if kind&flagRef != 0 {
		c.value = c.note()
	}
	c.at++
	return kind &^ flagRef, back
}

func (c *cursor) leave(back int) {
	if back >= 0 {
		c.at = back
	}
}

// note returns the number of the value that comes next. Numbers go by place,
// so a value that is read again does not get another.
func (c *cursor) note() int {
	if n := len(c.refs); n == 0 || c.refs[n-1].at < c.at {
		c.refs = append(c.refs, ref{at: c.at})
		return n
	}
	n, _ := slices.BinarySearchFunc(c.refs, c.at, func(r ref, at int) int { return r.at - at })
	return n
}

// hold says that the value with number n, if it has one, is being read. It
// reports false if it was already.
func (c *cursor) hold(n int) bool {
	if n < 0 {
		return true
	}
	held := c.refs[n].held
	c.refs[n].held = true
	return !held
}

func (c *cursor) letGo(n int) {
	if n >= 0 {
		c.refs[n].held = false
	}
}

// take returns the next n bytes, a view.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b)-c.at {
		c.fault("%d bytes are left where %d are told", len(c.b)-c.at, n)
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

func (c *cursor) u32() uint32 { return binary.LittleEndian.Uint32(c.take(4)) }

// size returns a length or a count, of things that take a byte each at least.
func (c *cursor) size() int {
	n := c.u32()
	if uint64(n) > uint64(len(c.b)-c.at) {
		c.fault("%d bytes are left for %d", len(c.b)-c.at, n)
	}
	return int(n)
}
