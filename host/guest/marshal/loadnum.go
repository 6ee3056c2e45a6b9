package marshal

import (
	"encoding/binary"
	"math"
	"strconv"
)

// maxDigits bounds the integers that are decoded here. Python takes 4,300
// digits, in a time that grows with their square.
const maxDigits = 400

// number appends the number at i: an int or a float, as its text says.
func (e *encoder) number(dst []byte, i int) ([]byte, int) {
	src, start := e.src, i
	negative := src[i] == '-'
	if negative {
		i++
	}
	digits := i
	var abs uint64 // of the digits, if they are 19 at most
	for i < len(src) && isDigit(src[i]) {
		abs = abs*10 + uint64(src[i]-'0')
		i++
	}
	n := i - digits
	if n == 0 {
		return e.special(dst, start)
	}
	if n > 1 && src[digits] == '0' {
		return dst, -1
	}
	if end := e.floatEnd(i); end != i {
		if end < 0 {
			return dst, -1
		}
		f, err := strconv.ParseFloat(string(src[start:end]), 64)
		if err != nil && !math.IsInf(f, 0) {
			return dst, -1
		}
		return appendFloat(dst, f), end
	}
	switch {
	case n > maxDigits:
		return dst, -1
	case n > 19:
		return e.long(dst, src[digits:i], negative), i
	case abs > math.MaxInt32:
		return appendLong(dst, abs, negative), i
	case negative:
		return appendInt(dst, -int64(abs)), i
	default:
		return appendInt(dst, int64(abs)), i
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// floatEnd returns the place behind a fraction and an exponent at i, i if
// there is neither, and -1 if what is there is cut short.
func (e *encoder) floatEnd(i int) int {
	src := e.src
	if i < len(src) && src[i] == '.' {
		from := i + 1
		for i = from; i < len(src) && isDigit(src[i]); i++ {
		}
		if i == from {
			return -1
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		from := i
		for ; i < len(src) && isDigit(src[i]); i++ {
		}
		if i == from {
			return -1
		}
	}
	return i
}

// special appends what Python's json reads beyond JSON.
func (e *encoder) special(dst []byte, i int) ([]byte, int) {
	switch e.src[i] {
	case 'N':
		return appendFloat(dst, math.NaN()), e.word(i, "NaN")
	case 'I':
		return appendFloat(dst, math.Inf(1)), e.word(i, "Infinity")
	case '-':
		return appendFloat(dst, math.Inf(-1)), e.word(i, "-Infinity")
	}
	return dst, -1
}

func appendFloat(dst []byte, f float64) []byte {
	bits := math.Float64bits(f)
	if f != f {
		bits = 0x7ff8 << 48 // the one that float("nan") gives
	}
	return binary.LittleEndian.AppendUint64(append(dst, typeFloat), bits)
}

// long appends an integer of more digits than fit into a word.
func (e *encoder) long(dst, digits []byte, negative bool) []byte {
	words := e.long30(digits)
	at := len(dst)
	dst = appendSized(dst, typeLong, 0)
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(w&0x7fff))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(w>>15))
	}
	count := 2 * len(words)
	if count > 0 && words[len(words)-1]>>15 == 0 { // no zeros in front
		dst, count = dst[:len(dst)-2], count-1
	}
	if negative {
		count = -count
	}
	binary.LittleEndian.PutUint32(dst[at+1:], uint32(int32(count)))
	return dst
}

// long30 returns the number that digits give, in words of 30 bits, the lowest
// first; the last is not zero.
func (e *encoder) long30(digits []byte) []uint32 {
	words := e.words[:0]
	for len(digits) > 0 {
		n := min(9, len(digits))
		carry, scale := uint64(0), uint64(1)
		for _, c := range digits[:n] {
			carry, scale = carry*10+uint64(c-'0'), scale*10
		}
		digits = digits[n:]
		for i, w := range words {
			carry += uint64(w) * scale
			words[i] = uint32(carry & (1<<30 - 1))
			carry >>= 30
		}
		if carry > 0 {
			words = append(words, uint32(carry))
		}
	}
	e.words = words
	return words
}
