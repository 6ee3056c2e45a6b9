package marshal

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// plain says of each byte whether it stands for itself in a string of JSON and
// is ASCII.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// plainEnd returns the place of the first byte from i on that is not plain.
func (e *encoder) plainEnd(i int) int {
	for i < len(e.src) && plain[e.src[i]] {
		i++
	}
	return i
}

// str appends the string whose first byte is at i.
func (e *encoder) str(dst []byte, i int) ([]byte, int) {
	end := e.plainEnd(i)
	if end < len(e.src) && e.src[end] == '"' {
		return append(appendASCII(dst, end-i), e.src[i:end]...), end + 1
	}
	return e.strAny(dst, i, end)
}

// key is str for a key of an object.
func (e *encoder) key(dst []byte, i int) ([]byte, int) {
	start := len(dst)
	var from int
	if end := e.plainEnd(i); end < len(e.src) && e.src[end] == '"' {
		key := e.src[i:end]
		number, slot := e.keys.find(dst, key)
		if number >= 0 {
			return appendRef(dst, number), end + 1
		}
		dst = appendASCII(dst, len(key))
		from, i = len(dst), end+1
		dst = append(dst, key...)
		if e.keys.add(slot, from, len(dst)) {
			dst[start] |= flagRef
		}
		return dst, i
	} else if dst, i = e.strAny(dst, i, end); i < 0 {
		return dst, -1
	}
	from = start + 5
	number, slot := e.keys.find(dst, dst[from:])
	if number >= 0 {
		return appendRef(dst[:start], number), i
	}
	if e.keys.add(slot, from, len(dst)) {
		dst[start] |= flagRef
	}
	return dst, i
}

func appendRef(dst []byte, number int) []byte {
	return appendSized(dst, typeRef, number)
}

// appendASCII begins a string of n bytes of ASCII.
func appendASCII(dst []byte, n int) []byte {
	if n <= math.MaxUint8 {
		return append(dst, typeShort, byte(n))
	}
	return appendSized(dst, typeASCII, n)
}

// strAny is str for a string that has more than plain bytes, the first of them
// at end.
func (e *encoder) strAny(dst []byte, i, end int) ([]byte, int) {
	dst = appendSized(dst, typeStr, 0)
	from := len(dst)
	for {
		dst = append(dst, e.src[i:end]...)
		if i = end; i >= len(e.src) {
			return dst, -1
		}
		switch c := e.src[i]; {
		case c == '"':
			binary.LittleEndian.PutUint32(dst[from-4:], uint32(len(dst)-from))
			return dst, i + 1
		case c == '\\':
			if dst, i = e.escape(dst, i+1); i < 0 {
				return dst, -1
			}
		case c < utf8.RuneSelf: // a control character
			return dst, -1
		default:
			n := runeLen(e.src[i:])
			if n == 0 {
				return dst, -1
			}
			dst = append(dst, e.src[i:i+n]...)
			i += n
		}
		end = e.plainEnd(i)
	}
}

// runeLen returns the length of the character that b begins with, a surrogate
// included, or 0.
func runeLen(b []byte) int {
	if r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1 {
		return n
	}
	if len(b) >= 3 && b[0] == 0xed && b[1]&0xe0 == 0xa0 && b[2]&0xc0 == 0x80 {
		return 3
	}
	return 0
}

// escape appends what the escape sequence stands for whose second byte is at i.
func (e *encoder) escape(dst []byte, i int) ([]byte, int) {
	if i >= len(e.src) {
		return dst, -1
	}
	c := e.src[i]
	i++
	switch c {
	case '"', '\\', '/':
		return append(dst, c), i
	case 'b':
		return append(dst, '\b'), i
	case 'f':
		return append(dst, '\f'), i
	case 'n':
		return append(dst, '\n'), i
	case 'r':
		return append(dst, '\r'), i
	case 't':
		return append(dst, '\t'), i
	case 'u':
	default:
		return dst, -1
	}
	r := e.hex(i)
	if r < 0 {
		return dst, -1
	}
	i += 4
	if utf16.IsSurrogate(r) && i+6 <= len(e.src) && e.src[i] == '\\' && e.src[i+1] == 'u' {
		if whole := utf16.DecodeRune(r, e.hex(i+2)); whole != utf8.RuneError {
			return utf8.AppendRune(dst, whole), i + 6
		}
	}
	return appendCodePoint(dst, r), i
}

// hex returns the number of four hexadecimal digits at i, or -1.
func (e *encoder) hex(i int) rune {
	if i+4 > len(e.src) {
		return -1
	}
	var r rune
	for _, c := range e.src[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}

// appendCodePoint appends a character of the basic plane, a surrogate too.
func appendCodePoint(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(dst, r)
}
