package marshal

import (
	"encoding/binary"
	"hash/maphash"
)

// encoder turns JSON into values of marshal. Its methods take the output and
// the place in src, and return both behind what they have done; a place of -1
// means that src is no JSON, or none that is decoded here.
type encoder struct {
	keys  keys
	src   []byte
	words []uint32 // room for digits, reused
}

func newEncoder() *encoder { return &encoder{keys: keys{seed: maphash.MakeSeed()}} }

func (e *encoder) begin() { e.keys.forget(0) }

func (e *encoder) end() { e.src = nil }

// loads appends what json.loads makes of src. It reports false, and leaves dst
// and the keys as they were, if src cannot be decoded.
//
// UTF-16, UTF-32 and a byte order mark, which json.loads accepts, need no test:
// each has bytes that JSON in UTF-8 does not.
func (e *encoder) loads(dst, src []byte) ([]byte, bool) {
	start, known := len(dst), e.keys.count
	e.src = src
	dst, i := e.value(dst, e.space(0), 0)
	if i >= 0 && e.space(i) == len(src) {
		return dst, true
	}
	e.keys.forget(known)
	return dst[:start], false
}

// space returns the place of the first byte from i on that is no white space.
func (e *encoder) space(i int) int {
	for i < len(e.src) {
		switch e.src[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// value appends the value at i, which is no white space.
func (e *encoder) value(dst []byte, i, depth int) ([]byte, int) {
	if i >= len(e.src) {
		return dst, -1
	}
	switch c := e.src[i]; c {
	case '"':
		return e.str(dst, i+1)
	case '{':
		return e.object(dst, i+1, depth+1)
	case '[':
		return e.array(dst, i+1, depth+1)
	case 'n':
		return append(dst, typeNone), e.word(i, "null")
	case 't':
		return append(dst, typeTrue), e.word(i, "true")
	case 'f':
		return append(dst, typeFalse), e.word(i, "false")
	default:
		return e.number(dst, i)
	}
}

// word returns the place behind word if that is at i.
func (e *encoder) word(i int, word string) int {
	if len(e.src)-i < len(word) || string(e.src[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func (e *encoder) object(dst []byte, i, depth int) ([]byte, int) {
	if depth > MaxDepth {
		return dst, -1
	}
	dst = append(dst, typeDict)
	if i = e.space(i); i < len(e.src) && e.src[i] == '}' {
		return append(dst, typeNull), i + 1
	}
	for {
		if i >= len(e.src) || e.src[i] != '"' {
			return dst, -1
		}
		if dst, i = e.key(dst, i+1); i < 0 {
			return dst, -1
		}
		if i = e.space(i); i >= len(e.src) || e.src[i] != ':' {
			return dst, -1
		}
		if dst, i = e.value(dst, e.space(i+1), depth); i < 0 {
			return dst, -1
		}
		if i = e.space(i); i >= len(e.src) {
			return dst, -1
		}
		switch e.src[i] {
		case '}':
			return append(dst, typeNull), i + 1
		case ',':
			i = e.space(i + 1)
		default:
			return dst, -1
		}
	}
}

func (e *encoder) array(dst []byte, i, depth int) ([]byte, int) {
	if depth > MaxDepth {
		return dst, -1
	}
	at, count := len(dst), uint32(0)
	dst = appendSized(dst, typeList, 0)
	if i = e.space(i); i < len(e.src) && e.src[i] == ']' {
		return dst, i + 1
	}
	for {
		if dst, i = e.value(dst, i, depth); i < 0 {
			return dst, -1
		}
		count++
		if i = e.space(i); i >= len(e.src) {
			return dst, -1
		}
		switch e.src[i] {
		case ']':
			binary.LittleEndian.PutUint32(dst[at+1:], count)
			return dst, i + 1
		case ',':
			i = e.space(i + 1)
		default:
			return dst, -1
		}
	}
}
