package json

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Encoder writes one text, without blanks, by its methods in the order of the
// text; commas and colons come by themselves. It is up to the caller that what
// begins ends, and that a member of an object has a name.
//
// The zero value is ready. Reset keeps its memory for the next text.
type Encoder struct {
	b     []byte
	comma bool // what is written next has one before it
}

// Reset begins a new text. What Bytes returned may be overwritten.
func (e *Encoder) Reset() { e.b, e.comma = e.b[:0], false }

// Bytes returns the text, which is the encoder's until Reset.
func (e *Encoder) Bytes() []byte { return e.b }

func (e *Encoder) next() {
	if e.comma {
		e.b = append(e.b, ',')
	}
	e.comma = true
}

// BeginObject, EndObject, BeginArray and EndArray write braces and brackets.
func (e *Encoder) BeginObject() { e.begin('{') }

// EndObject ends an object.
func (e *Encoder) EndObject() { e.end('}') }

// BeginArray begins an array.
func (e *Encoder) BeginArray() { e.begin('[') }

// EndArray ends an array.
func (e *Encoder) EndArray() { e.end(']') }

func (e *Encoder) begin(c byte) {
	e.next()
	e.b, e.comma = append(e.b, c), false
}

func (e *Encoder) end(c byte) { e.b, e.comma = append(e.b, c), true }

// Name writes the name of a member; its value follows.
func (e *Encoder) Name(name string) *Encoder {
	e.next()
	e.b = append(AppendText(e.b, name), ':')
	e.comma = false
	return e
}

// Text writes a string; see AppendText.
func (e *Encoder) Text(s []byte) {
	e.next()
	e.b = AppendText(e.b, s)
}

// String writes a string; see AppendText.
func (e *Encoder) String(s string) {
	e.next()
	e.b = AppendText(e.b, s)
}

// Int writes a number.
func (e *Encoder) Int(n int64) {
	e.next()
	e.b = strconv.AppendInt(e.b, n, 10)
}

// Float writes a number as encoding/json does: the shortest text that reads as
// f. NaN and the infinities, which JSON does not have, are null.
func (e *Encoder) Float(f float64) {
	e.next()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.b = append(e.b, "null"...)
		return
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	e.b = strconv.AppendFloat(e.b, f, format, -1, 64)
	if n := len(e.b); format == 'e' && n >= 4 && e.b[n-4] == 'e' && e.b[n-2] == '0' { // e-09 is e-9
		e.b[n-2] = e.b[n-1]
		e.b = e.b[:n-1]
	}
}

// Bool writes true or false.
func (e *Encoder) Bool(v bool) {
	e.next()
	e.b = strconv.AppendBool(e.b, v)
}

// Null writes null.
func (e *Encoder) Null() {
	e.next()
	e.b = append(e.b, "null"...)
}

// Raw writes a value that is JSON already.
func (e *Encoder) Raw(v []byte) {
	e.next()
	e.b = append(e.b, v...)
}

// AppendText appends a string in quotes. Escaped is what has to be: quotes,
// backslashes and control characters. What is not UTF-8 becomes U+FFFD.
func AppendText[S []byte | string](dst []byte, s S) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := decode(s, i)
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// decode decodes the character of s at i.
func decode[S []byte | string](s S, i int) (rune, int) {
	var b [utf8.UTFMax]byte
	return utf8.DecodeRune(b[:copy(b[:], s[i:min(len(s), i+utf8.UTFMax)])])
}
