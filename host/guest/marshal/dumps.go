package marshal

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
)

// maxNesting is how deeply what a guest returns may be nested: marshal itself
// goes no deeper.
const maxNesting = 2000

// What json.dumps raises for values that it cannot encode.
const (
	circular      = "ValueError: Circular reference detected"
	tooDeep       = "RecursionError: maximum recursion depth exceeded while encoding a JSON object"
	tooManyDigits = "ValueError: Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"
)

// dumps appends what json.dumps(v, separators=(",", ":"), ensure_ascii=False)
// makes of the value that comes next; a surrogate that stands alone, which has
// no UTF-8, as an escape sequence. If json.dumps would raise, bad says what,
// and the cursor is anywhere.
func (d *Decoder) dumps(dst []byte, depth int) []byte {
	d.bound(len(dst))
	kind, back := d.enter()
	switch {
	case isText(kind):
		dst = appendString(dst, d.text(kind))
	case isSequence(kind), kind == typeDict:
		n := d.value
		if !d.hold(n) {
			d.bad = circular
			return dst
		}
		if depth++; depth > maxNesting {
			d.bad = tooDeep
		} else if kind == typeDict {
			dst = d.dumpObject(dst, depth)
		} else {
			dst = d.dumpArray(dst, d.count(kind), depth)
		}
		d.letGo(n)
	case isScalar(kind):
		dst = d.scalar(dst, kind)
	default:
		d.bad = "TypeError: Object of type " + d.typeName(kind) + " is not JSON serializable"
	}
	d.leave(back)
	return dst
}

func (d *Decoder) dumpArray(dst []byte, n, depth int) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst = d.dumps(dst, depth); d.bad != "" {
			return dst
		}
	}
	return append(dst, ']')
}

func (d *Decoder) dumpObject(dst []byte, depth int) []byte {
	dst = append(dst, '{')
	for first := true; d.next() != typeNull; first = false {
		if !first {
			dst = append(dst, ',')
		}
		if dst = d.dumpKey(dst); d.bad != "" {
			return dst
		}
		if dst = d.dumps(append(dst, ':'), depth); d.bad != "" {
			return dst
		}
	}
	d.at++
	return append(dst, '}')
}

func (d *Decoder) dumpKey(dst []byte) []byte {
	kind, back := d.enter()
	switch {
	case isText(kind):
		dst = appendString(dst, d.text(kind))
	case isScalar(kind):
		dst = append(d.scalar(append(dst, '"'), kind), '"')
	default:
		d.bad = "TypeError: keys must be str, int, float, bool or None, not " + d.typeName(kind)
	}
	d.leave(back)
	return dst
}

func isScalar(kind byte) bool {
	switch kind {
	case typeNone, typeTrue, typeFalse, typeInt, typeLong, typeFloat:
		return true
	}
	return false
}

// scalar appends a value that was entered and has the same text as a key.
func (d *Decoder) scalar(dst []byte, kind byte) []byte {
	switch kind {
	case typeNone:
		return append(dst, "null"...)
	case typeTrue:
		return append(dst, "true"...)
	case typeFalse:
		return append(dst, "false"...)
	case typeInt:
		return strconv.AppendInt(dst, int64(int32(d.u32())), 10)
	case typeFloat:
		return appendRepr(dst, math.Float64frombits(binary.LittleEndian.Uint64(d.take(8))))
	default:
		return d.longText(dst)
	}
}

// maxText is how many digits of an integer Python writes.
const maxText = 4300

// longText appends a long integer that was entered.
func (d *Decoder) longText(dst []byte) []byte {
	digits, negative := d.long()
	if negative {
		dst = append(dst, '-')
	}
	if len(digits) <= 2*4 { // 60 bits
		var abs uint64
		for i := len(digits) - 2; i >= 0; i -= 2 {
			abs = abs<<15 | uint64(binary.LittleEndian.Uint16(digits[i:]))
		}
		return strconv.AppendUint(dst, abs, 10)
	}
	if len(digits)/2*15 > maxText*10/3+15 { // 10/3 is more than the bits of a digit
		d.bad = tooManyDigits
		return dst
	}
	n := len(dst)
	if dst = d.big(digits).Append(dst, 10); len(dst)-n > maxText {
		d.bad = tooManyDigits
	}
	return dst
}

// big returns the number of digits of 15 bits.
func (d *Decoder) big(digits []byte) *big.Int {
	bytes := make([]byte, len(digits)) // the highest first
	for i := 0; i < len(digits); i += 2 {
		v := uint64(binary.LittleEndian.Uint16(digits[i:]))
		bit := i / 2 * 15
		at := len(bytes) - 1 - bit/8
		v <<= bit % 8
		for ; v > 0; at, v = at-1, v>>8 {
			bytes[at] |= byte(v)
		}
	}
	return new(big.Int).SetBytes(bytes)
}
