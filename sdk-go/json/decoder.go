// Package json reads and writes JSON without reflection and without
// allocating for each record: a Decoder is pulled through a text, an Encoder
// is told what to write. Where the two dozen microseconds that encoding/json
// takes for a small record do not count, that is easier to use.
//
//	var d json.Decoder
//	d.Reset(record.Value)
//	if !d.Object() {
//		return errors.New("no object")
//	}
//	for d.More() {
//		switch string(d.Name()) {
//		case "user":
//			user = d.TextCopy()
//		case "n":
//			n = d.Int()
//		}
//	}
//	if err := d.End(); err != nil {
//		return err
//	}
package json

import "strconv"

// Kind is the kind of a value.
type Kind uint8

// The kinds. None is what stands where no value is.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// MaxDepth is how deep arrays and objects may lie in each other.
const MaxDepth = 512

// Decoder reads one text. The first fault ends it: from then on every method
// returns a zero value, More returns false, and Err and End return the fault.
// What the methods return are views of the text, or of memory of the decoder
// that is good until the next call.
//
// The zero value reads an empty text; Reset gives it one.
type Decoder struct {
	b     []byte
	p     int    // the next byte
	begun bool   // an array or object was entered, and has had no member yet
	taken bool   // the value that More came to has been read
	name  []byte // of the member
	names []byte // a name that has escapes
	text  []byte // a string that has escapes
	open  []byte // the closing bytes of what was entered, innermost last
	err   *SyntaxError
}

// SyntaxError is a fault in a text.
type SyntaxError struct {
	Offset int // in bytes from the start of the text
	What   string
}

func (e *SyntaxError) Error() string { return "json: byte " + strconv.Itoa(e.Offset) + ": " + e.What }

// Reset makes the decoder read b from its start. b must not change meanwhile.
func (d *Decoder) Reset(b []byte) {
	d.b, d.p, d.err, d.open = b, 0, nil, d.open[:0]
	d.begun, d.taken = false, false
	d.space()
}

// Err returns the fault that was found, nil if there is none so far.
func (d *Decoder) Err() error {
	if d.err == nil {
		return nil
	}
	return d.err
}

// End skips what has not been read and returns the fault, nil if the text is
// one JSON value and nothing else.
func (d *Decoder) End() error {
	for len(d.open) > 0 && d.err == nil {
		for d.More() {
		}
	}
	if !d.taken {
		d.Skip()
	}
	if d.err == nil && d.p < len(d.b) {
		d.fail(d.p, "more than one value")
	}
	return d.Err()
}

// Kind returns the kind of the next value, by its first byte.
func (d *Decoder) Kind() Kind {
	if d.err != nil || d.taken || d.p >= len(d.b) {
		return None
	}
	switch c := d.b[d.p]; c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		if c == '-' || c-'0' <= 9 {
			return Number
		}
	}
	return None
}

// Object enters the next value if it is an object and returns whether it is;
// if not, the value is still there to be read.
func (d *Decoder) Object() bool { return d.enter('{', '}') }

// Array does the same for an array.
func (d *Decoder) Array() bool { return d.enter('[', ']') }

func (d *Decoder) enter(first, last byte) bool {
	if d.err != nil || d.taken || d.p >= len(d.b) || d.b[d.p] != first {
		return false
	}
	if len(d.open) == MaxDepth {
		d.fail(d.p, "too deep")
		return false
	}
	d.open = append(d.open, last)
	d.p++
	d.space()
	d.begun, d.taken = true, true
	return true
}

// More goes on to the next member of the array or object that was entered
// last, past a value that was not read, and returns whether there is one. At
// the end it leaves, and what More then goes on with is what lies around.
func (d *Decoder) More() bool {
	if d.err != nil || len(d.open) == 0 {
		return false
	}
	if !d.taken {
		d.Skip()
		if d.err != nil {
			return false
		}
	}
	last := d.open[len(d.open)-1]
	if d.p >= len(d.b) {
		d.fail(d.p, "the text ends too early")
		return false
	}
	switch c := d.b[d.p]; {
	case c == last:
		d.p++
		d.space()
		d.open = d.open[:len(d.open)-1]
		d.begun, d.taken = false, true
		return false
	case d.begun:
	case c == ',':
		d.p++
		d.space()
	default:
		d.fail(d.p, "no comma between members")
		return false
	}
	d.begun = false
	if last == '}' && !d.member() {
		return false
	}
	d.taken = false
	return true
}

// member reads the name of a member and its colon.
func (d *Decoder) member() bool {
	if d.p >= len(d.b) || d.b[d.p] != '"' {
		d.fail(d.p, "no name of a member")
		return false
	}
	d.name = d.quoted(&d.names)
	if d.err == nil && (d.p >= len(d.b) || d.b[d.p] != ':') {
		d.fail(d.p, "no colon behind a name")
	}
	if d.err != nil {
		return false
	}
	d.p++
	d.space()
	return true
}

// Name returns the name of the member that More came to.
func (d *Decoder) Name() []byte { return d.name }

// fail keeps the first fault.
func (d *Decoder) fail(at int, what string) {
	if d.err == nil {
		d.err = &SyntaxError{Offset: at, What: what}
	}
}

// space skips blanks.
func (d *Decoder) space() {
	for d.p < len(d.b) {
		switch d.b[d.p] {
		case ' ', '\t', '\n', '\r':
			d.p++
		default:
			return
		}
	}
}
