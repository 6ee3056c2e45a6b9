package debugdata

import (
	"bytes"
	"encoding/binary"
)

// work is what a lookup may still do; every read takes from it.
type work struct{ left int }

// take reports whether n may still be done. Once it may not, nothing may.
func (w *work) take(n int) bool {
	if w.left < n {
		w.left = 0
		return false
	}
	w.left -= n
	return true
}

// cursor reads a section. Behind its end, and when the work is used up, it is
// bad for good and reads zeroes.
type cursor struct {
	b    []byte
	at   int
	bad  bool
	work *work
}

func (w *work) cursor(b []byte, at uint64) *cursor {
	c := &cursor{b: b, work: w}
	c.seek(at)
	return c
}

func (c *cursor) seek(at uint64) {
	if at > uint64(len(c.b)) {
		c.bad = true
		return
	}
	c.at = int(at)
}

func (c *cursor) left() int {
	if c.bad {
		return 0
	}
	return len(c.b) - c.at
}

// bytes returns a view of the next n bytes.
func (c *cursor) bytes(n uint64) []byte {
	if c.bad || n > uint64(len(c.b)-c.at) || !c.work.take(1) {
		c.bad = true
		return nil
	}
	b := c.b[c.at : c.at+int(n)]
	c.at += int(n)
	return b
}

// uint reads size bytes, at most 8, little-endian.
func (c *cursor) uint(size int) uint64 {
	b := c.bytes(uint64(size))
	switch {
	case b == nil:
		return 0
	case size == 1:
		return uint64(b[0])
	case size == 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

// uleb reads an unsigned LEB128; bits beyond 64 are lost.
func (c *cursor) uleb() uint64 {
	v, _, _ := c.leb()
	return v
}

// sleb reads a signed LEB128.
func (c *cursor) sleb() int64 {
	v, shift, last := c.leb()
	if last&0x40 != 0 && shift < 64 {
		v |= ^uint64(0) << shift
	}
	return int64(v)
}

func (c *cursor) leb() (v uint64, shift uint, last byte) {
	if c.bad || !c.work.take(1) {
		c.bad = true
		return 0, 0, 0
	}
	for c.at < len(c.b) && shift < 10*7 {
		last = c.b[c.at]
		c.at++
		v |= uint64(last&0x7f) << shift
		shift += 7
		if last < 0x80 {
			return v, shift, last
		}
	}
	c.bad = true
	return 0, 0, 0
}

// text returns a view of the string up to the next zero byte, which is less
// than textMost away.
func (c *cursor) text() []byte {
	if c.bad {
		return nil
	}
	rest := c.b[c.at:]
	rest = rest[:min(len(rest), textMost)]
	n := bytes.IndexByte(rest, 0)
	searched := n
	if n < 0 {
		searched = len(rest)
	}
	if !c.work.take(1+searched/64) || n < 0 {
		c.bad = true
		return nil
	}
	s := c.b[c.at : c.at+n]
	c.at += n + 1
	return s
}
