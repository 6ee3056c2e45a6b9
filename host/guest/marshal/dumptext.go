package marshal

import (
	"math"
	"strconv"
)

const hexDigits = "0123456789abcdef"

// escaped says of each byte whether it ends a run that stands for itself in
// JSON: a byte that is escaped, or the one that surrogates begin with.
var escaped = func() (t [256]bool) {
	for c := range ' ' {
		t[c] = true
	}
	t['"'], t['\\'], t[surrogateByte] = true, true, true
	return t
}()

// surrogateByte begins the encoding of every surrogate, and of some letters.
const surrogateByte = 0xed

// appendString appends s, UTF-8 in which surrogates may stand alone, as a
// string of JSON.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !escaped[c] || c == surrogateByte && s[i+1] < 0xa0 {
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case surrogateByte:
			r := uint16(c)<<12 | uint16(s[i+1]&0x3f)<<6 | uint16(s[i+2]&0x3f)
			dst = appendEscape(dst, r)
			i += 2
		default:
			dst = appendEscape(dst, uint16(c))
		}
		from = i + 1
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, r uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// appendRepr appends the text that Python's repr gives a float, and json.dumps
// those that are none of JSON.
func appendRepr(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[n:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
