// Package marshal is the host's side of codec 1 of a program that has parked
// (abi/SPEC.md, section 7): batches are handed over, and what comes of them is
// taken back, as values of Python's marshal, which CPython reads and writes
// many times faster than it parses and prints JSON. FORMAT.md has the layout.
//
// JSON goes straight into marshal's bytes and back: what AppendBatch decodes
// equals json.loads, and what Decoder encodes equals json.dumps with
// separators=(",", ":") and ensure_ascii=False. What cannot be decoded exactly
// so is handed over as it is.
package marshal

import "encoding/binary"

// The types of marshal's values that either side writes. CPython has more.
const (
	typeNull          = '0' // ends a dict
	typeNone          = 'N'
	typeFalse         = 'F'
	typeTrue          = 'T'
	typeStopIter      = 'S'
	typeEllipsis      = '.'
	typeInt           = 'i' // i32
	typeLong          = 'l' // i32 count, negative for a negative number; u16 digits of 15 bits
	typeFloat         = 'g' // f64
	typeComplex       = 'y' // two f64
	typeBytes         = 's' // u32 length, bytes
	typeStr           = 'u' // u32 length, UTF-8 in which surrogates may stand alone
	typeInterned      = 't' // the same
	typeASCII         = 'a' // u32 length, ASCII
	typeASCIIInterned = 'A' // the same
	typeShort         = 'z' // u8 length, ASCII
	typeShortInterned = 'Z' // the same
	typeTuple         = '(' // u32 count, values
	typeFew           = ')' // u8 count, values: a tuple
	typeList          = '[' // u32 count, values
	typeSet           = '<' // u32 count, values
	typeFrozen        = '>' // u32 count, values
	typeDict          = '{' // keys and values in turn, then typeNull
	typeCode          = 'c'
	typeRef           = 'r'  // u32: the value with that number again
	flagRef           = 0x80 // on a type: the value gets the next number, before the values in it do
)

// MaxDepth is how deeply arrays and objects may be nested in what is decoded.
// CPython itself refuses some hundred levels, where depends on its build.
const MaxDepth = 100

func appendSized(dst []byte, kind byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, kind), uint32(n))
}

// appendBytes appends bytes, or None for nil.
func appendBytes(dst, b []byte) []byte {
	if b == nil {
		return append(dst, typeNone)
	}
	return append(appendSized(dst, typeBytes, len(b)), b...)
}
