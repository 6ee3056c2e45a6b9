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

// What json.dumps raises for values that it cannot encode, with their types.
const (
	notKey        = "TypeError: keys must be str, int, float, bool or None, not "
	tooManyDigits = "ValueError: Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"
)

// dumps appends what json.dumps(v, separators=(",", ":"), ensure_ascii=False)
// makes of the value that comes next; a surrogate that stands alone, which has
// no UTF-8, as an escape sequence. If json.dumps would raise, bad says what,
// and the cursor is anywhere.
func (d *Decoder) dumps(dst []byte, depth int) []byte {
	if depth > maxNesting {
		d.fault("a value is nested more than %d deep", maxNesting)
	}
	switch k := d.peek(); k {
	case typeNone, typeTrue, typeFalse, typeInt, typeLong, typeFloat:
		return d.scalar(dst)
	case typeStr:
		return appendString(dst, d.str())
	case typeList, typeTuple:
		return d.dumpArray(dst, depth+1)
	case typeDict:
		return d.dumpObject(dst, depth+1)
	default:
		d.bad = "TypeError: Object of type " + d.typeName() + " is not JSON serializable"
		return dst
	}
}

func (d *Decoder) dumpArray(dst []byte, depth int) []byte {
	dst = append(dst, '[')
	for i := range d.sequence("an array") {
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
	d.at++
	for first := true; d.peek() != typeNull; first = false {
		if !first {
			dst = append(dst, ',')
		}
		switch d.peek() {
		case typeStr:
			dst = appendString(dst, d.str())
		case typeNone, typeTrue, typeFalse, typeInt, typeLong, typeFloat:
			dst = append(d.scalar(append(dst, '"')), '"')
		default:
			d.bad = notKey + d.typeName()
		}
		if d.bad != "" {
			return dst
		}
		if dst = d.dumps(append(dst, ':'), depth); d.bad != "" {
			return dst
		}
	}
	d.at++
	return append(dst, '}')
}

// scalar appends a value that has the same text as a key.
func (d *Decoder) scalar(dst []byte) []byte {
	switch d.peek() {
	case typeNone:
		d.at++
		return append(dst, "null"...)
	case typeTrue:
		d.at++
		return append(dst, "true"...)
	case typeFalse:
		d.at++
		return append(dst, "false"...)
	case typeInt:
		d.at++
		return strconv.AppendInt(dst, int64(int32(d.u32())), 10)
	case typeFloat:
		d.at++
		return appendRepr(dst, math.Float64frombits(binary.LittleEndian.Uint64(d.take(8))))
	default:
		return d.longText(dst)
	}
}

// maxText is how many digits of an integer Python writes.
const maxText = 4300

// longText appends a long integer.
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
	if dst = bigInt(digits).Append(dst, 10); len(dst)-n > maxText {
		d.bad = tooManyDigits
	}
	return dst
}

func bigInt(digits []byte) *big.Int {
	v := new(big.Int)
	for i := len(digits) - 2; i >= 0; i -= 2 {
		v.Lsh(v, 15)
		v.Or(v, big.NewInt(int64(binary.LittleEndian.Uint16(digits[i:]))))
	}
	return v
}
