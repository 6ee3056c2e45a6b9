package marshal

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// cursor reads values of marshal. Whatever is not as asked for is thrown as a
// *fault: content comes from a guest, and one place catches it.
type cursor struct {
	b  []byte
	at int
}

func (c *cursor) fault(format string, args ...any) {
	panic(&fault{at: c.at, what: fmt.Sprintf(format, args...)})
}

// peek returns the type of the value that comes next.
func (c *cursor) peek() byte {
	if c.at >= len(c.b) {
		c.fault("a value is missing")
	}
	return c.b[c.at]
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

func (c *cursor) want(kind byte, what string) {
	if k := c.peek(); k != kind {
		c.fault("%s has the type %q, not %q", what, k, kind)
	}
	c.at++
}

func (c *cursor) tuple(what string, n int) {
	c.want(typeTuple, what)
	if have := c.size(); have != n {
		c.fault("%s has %d parts, not %d", what, have, n)
	}
}

// sequence begins a list or a tuple and returns how many values it has.
func (c *cursor) sequence(what string) int {
	if c.peek() == typeTuple {
		c.at++
	} else {
		c.want(typeList, what)
	}
	return c.size()
}

// none passes over None.
func (c *cursor) none() bool {
	if c.peek() != typeNone {
		return false
	}
	c.at++
	return true
}

func (c *cursor) bytes(what string) []byte {
	c.want(typeBytes, what)
	return c.take(c.size())
}

func (c *cursor) bytesOrNone(what string) (_ []byte, null bool) {
	if c.none() {
		return nil, true
	}
	return c.bytes(what), false
}

// str returns the text of a str.
func (c *cursor) str() []byte {
	c.want(typeStr, "a text")
	s := c.take(c.size())
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		n := runeLen(s[i:])
		if n == 0 {
			c.fault("a text is not UTF-8")
		}
		i += n
	}
	return s
}

// intIn returns an integer from low to high.
func (c *cursor) intIn(what string, low, high int64) int64 {
	var v int64
	switch k := c.peek(); k {
	case typeInt:
		c.at++
		v = int64(int32(c.u32()))
	case typeLong:
		digits, negative := c.long()
		if len(digits) > 2*5 { // 75 bits
			c.fault("%s is too large", what)
		}
		var abs uint64
		for i := len(digits) - 2; i >= 0; i -= 2 {
			if abs>>(64-15) != 0 {
				c.fault("%s is too large", what)
			}
			abs = abs<<15 | uint64(binary.LittleEndian.Uint16(digits[i:]))
		}
		if abs > math.MaxInt64 {
			c.fault("%s is too large", what)
		}
		if v = int64(abs); negative {
			v = -v
		}
	default:
		c.fault("%s has the type %q, not an integer's", what, k)
	}
	if v < low || v > high {
		c.fault("%s is %d, not from %d to %d", what, v, low, high)
	}
	return v
}

// long returns the digits of a long integer: of 15 bits each, in two bytes.
func (c *cursor) long() (digits []byte, negative bool) {
	c.want(typeLong, "an integer")
	n := int64(int32(c.u32()))
	if negative = n < 0; negative {
		n = -n
	}
	digits = c.take(int(min(2*n, math.MaxInt32)))
	for i := 0; i < len(digits); i += 2 {
		if digits[i+1] > 0x7f {
			c.fault("a digit of an integer is out of range")
		}
	}
	if n > 0 && digits[len(digits)-2] == 0 && digits[len(digits)-1] == 0 {
		c.fault("an integer begins with zeros")
	}
	return digits, negative
}
