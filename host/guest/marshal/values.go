package marshal

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// What a cursor reads where only one type will do.

func (c *cursor) other(kind byte, what, want string) {
	c.at--
	c.fault("%s has the type %q, not that of %s", what, kind, want)
}

// tuple begins a tuple of n values. Its end is told to leave.
func (c *cursor) tuple(what string, n int) (back int) {
	kind, back := c.enter()
	if kind != typeTuple && kind != typeFew {
		c.other(kind, what, "a tuple")
	}
	if have := c.count(kind); have != n {
		c.fault("%s has %d parts, not %d", what, have, n)
	}
	return back
}

// sequence begins a list or a tuple and returns how many values it has. Its
// end is told to leave.
func (c *cursor) sequence(what string) (n, back int) {
	kind, back := c.enter()
	if !isSequence(kind) {
		c.other(kind, what, "a list")
	}
	return c.count(kind), back
}

func isSequence(kind byte) bool { return kind == typeList || kind == typeTuple || kind == typeFew }

// count returns how many values a list or a tuple has that was entered.
func (c *cursor) count(kind byte) int {
	if kind == typeFew {
		return int(c.take(1)[0])
	}
	return c.size()
}

// none passes over None.
func (c *cursor) none() bool {
	if c.next() != typeNone {
		return false
	}
	c.at++
	return true
}

func (c *cursor) bytes(what string) []byte {
	kind, back := c.enter()
	if kind != typeBytes {
		c.other(kind, what, "bytes")
	}
	b := c.take(c.size())
	c.leave(back)
	return b
}

func (c *cursor) bytesOrNone(what string) (_ []byte, null bool) {
	if c.none() {
		return nil, true
	}
	return c.bytes(what), false
}

func isText(kind byte) bool {
	switch kind {
	case typeStr, typeInterned, typeASCII, typeASCIIInterned, typeShort, typeShortInterned:
		return true
	}
	return false
}

// raw returns the bytes of a str that was entered, as they are.
func (c *cursor) raw(kind byte) []byte {
	if kind == typeShort || kind == typeShortInterned {
		return c.take(int(c.take(1)[0]))
	}
	return c.take(c.size())
}

// text returns what a str has that was entered: UTF-8, with surrogates.
func (c *cursor) text(kind byte) []byte {
	s := c.raw(kind)
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
	kind, back := c.enter()
	var v int64
	switch kind {
	case typeInt:
		v = int64(int32(c.u32()))
	case typeLong:
		v = c.int64(what)
	default:
		c.other(kind, what, "an integer")
	}
	if v < low || v > high {
		c.fault("%s is %d, not from %d to %d", what, v, low, high)
	}
	c.leave(back)
	return v
}

// int64 returns a long integer that was entered, without the lowest of all.
func (c *cursor) int64(what string) int64 {
	digits, negative := c.long()
	var abs uint64
	for i := len(digits) - 2; i >= 0; i -= 2 {
		if abs>>(63-15) != 0 {
			c.fault("%s is too large", what)
		}
		abs = abs<<15 | uint64(binary.LittleEndian.Uint16(digits[i:]))
	}
	if negative {
		return -int64(abs)
	}
	return int64(abs)
}

// long returns the digits of a long integer that was entered: of 15 bits each,
// in two bytes, the lowest first.
func (c *cursor) long() (digits []byte, negative bool) {
	n := int64(int32(c.u32()))
	if negative = n < 0; negative {
		n = -n
	}
	digits = c.take(int(min(2*n, math.MaxInt32)))
	for i := 1; i < len(digits); i += 2 {
		if digits[i] > 0x7f {
			c.fault("a digit of an integer is out of range")
		}
	}
	if n > 0 && digits[len(digits)-2]|digits[len(digits)-1] == 0 {
		c.fault("an integer begins with zeros")
	}
	return digits, negative
}
