package json

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted reads the string that begins at d.p and what blanks follow it. It is
// a view of the text, or lies in *room if it has escapes.
func (d *Decoder) quoted(room *[]byte) []byte {
	at := d.p + 1
	p, plain := special(d.b, at)
	if p < len(d.b) && d.b[p] == '"' {
		if !plain && !utf8.Valid(d.b[at:p]) {
			d.fail(at, "the string is not UTF-8")
			return nil
		}
		d.p = p + 1
		d.space()
		return d.b[at:p]
	}
	return d.unescape(at, room)
}

// unescape reads the string that begins at at, with its escapes.
func (d *Decoder) unescape(at int, room *[]byte) []byte {
	b, out := d.b, (*room)[:0]
	for p := at; ; {
		end, plain := special(b, p)
		if !plain && !utf8.Valid(b[p:end]) {
			d.fail(p, "the string is not UTF-8")
			return nil
		}
		out = append(out, b[p:end]...)
		if end >= len(b) {
			d.fail(at-1, "the string has no end")
			return nil
		}
		switch c := b[end]; {
		case c == '"':
			*room = out
			d.p = end + 1
			d.space()
			return out
		case c != '\\':
			d.fail(end, "a control character in a string")
			return nil
		case end+1 >= len(b):
			d.fail(at-1, "the string has no end")
			return nil
		}
		if out, p = d.escape(out, end); p < 0 {
			return nil
		}
	}
}

// escape appends what the escape at p stands for and returns the offset behind
// it, -1 if it is none.
func (d *Decoder) escape(out []byte, p int) ([]byte, int) {
	const known, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := d.b[p+1]
	for i := range len(known) {
		if known[i] == c {
			return append(out, meant[i]), p + 2
		}
	}
	r, ok := hex4(d.b, p+2)
	if c != 'u' || !ok {
		d.fail(p, "an escape that JSON does not have")
		return out, -1
	}
	p += 6
	if utf16.IsSurrogate(r) {
		low, ok := rune(0), false
		if p+1 < len(d.b) && d.b[p] == '\\' && d.b[p+1] == 'u' {
			low, ok = hex4(d.b, p+2)
		}
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			r, p = pair, p+6
		}
	}
	return utf8.AppendRune(out, r), p
}

func hex4(b []byte, p int) (r rune, ok bool) {
	if p+4 > len(b) {
		return 0, false
	}
	for _, c := range b[p : p+4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20-'a' <= 5:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Bytes repeated eight times.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// special returns the offset of the first quote, backslash or control
// character of b from p on, len(b) if there is none, and whether all before it
// is ASCII. It looks at eight bytes at a time; a byte behind one that is found
// may be found wrongly, which does not matter.
func special(b []byte, p int) (at int, plain bool) {
	all := uint64(0)
	for p+8 <= len(b) {
		x := load(b[p:])
		quote, slash := x^'"'*ones, x^'\\'*ones
		found := ((quote - ones) &^ quote) | ((slash - ones) &^ slash) | ((x - 0x20*ones) &^ x)
		if found &= high; found != 0 {
			n := bits.TrailingZeros64(found) >> 3
			return p + n, (all|x&(1<<(8*n)-1))&high == 0
		}
		all |= x
		p += 8
	}
	plain = all&high == 0
	for ; p < len(b); p++ {
		c := b[p]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		plain = plain && c < utf8.RuneSelf
	}
	return p, plain
}

// load is one load of eight bytes; encoding/binary would bring package reflect.
func load(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
