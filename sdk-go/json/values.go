package json

import "strconv"

// The methods below read the next value. One of another kind is a fault, but
// for the methods with ok in their results: there it is left to be read. A
// number that does not fit is a fault, too.

// Text reads a string. The bytes are UTF-8; a lone surrogate in an escape
// comes out as U+FFFD.
func (d *Decoder) Text() []byte {
	if d.Kind() != String {
		d.unlike("a string")
		return nil
	}
	d.taken = true
	return d.quoted(&d.text)
}

// TryText is Text where the value is a string.
func (d *Decoder) TryText() (text []byte, ok bool) {
	if d.Kind() != String {
		return nil, false
	}
	text = d.Text()
	return text, d.err == nil
}

// TextCopy is Text as a string of Go, which the step may keep.
func (d *Decoder) TextCopy() string { return string(d.Text()) }

// Int reads a number without fraction and exponent.
func (d *Decoder) Int() int64 {
	at := d.p
	n, ok := d.TryInt()
	if !ok {
		d.unlikeAt(at, "an integer of 64 bits")
	}
	return n
}

// TryInt is Int where the value is such a number and fits.
func (d *Decoder) TryInt() (n int64, ok bool) {
	at := d.p
	raw, whole := d.number()
	if !whole || len(raw) == 0 {
		d.back(at, raw)
		return 0, false
	}
	if n, ok = integer(raw); !ok {
		d.back(at, raw)
	}
	return n, ok
}

// Float reads a number.
func (d *Decoder) Float() float64 {
	at := d.p
	raw, _ := d.number()
	if len(raw) == 0 {
		d.unlikeAt(at, "a number")
		return 0
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		d.fail(at, "the number is too large")
		return 0
	}
	return f
}

// Bool reads true or false.
func (d *Decoder) Bool() bool {
	if d.Kind() != Bool {
		d.unlike("true or false")
		return false
	}
	if d.b[d.p] == 't' {
		return d.word("true")
	}
	d.word("false")
	return false
}

// Null reads null where it is the value, and returns whether it was.
func (d *Decoder) Null() bool { return d.Kind() == Null && d.word("null") }

// Raw reads a value of any kind as it stands in the text.
func (d *Decoder) Raw() []byte {
	at := d.p
	end := d.skip()
	if d.err != nil {
		return nil
	}
	return d.b[at:end]
}

// Skip reads past a value of any kind.
func (d *Decoder) Skip() { d.skip() }

// skip returns the offset behind the value, before the blanks that follow.
func (d *Decoder) skip() (end int) {
	switch d.Kind() {
	case String:
		d.Text()
	case Number:
		d.number()
	case Bool:
		d.Bool()
	case Null:
		d.Null()
	case Array, Object:
		return d.skipAll()
	default:
		switch {
		case d.err != nil:
		case d.p >= len(d.b):
			d.fail(d.p, "the text ends too early")
		default:
			d.fail(d.p, "no value")
		}
	}
	end = d.p
	for end > 0 && blank(d.b[end-1]) {
		end--
	}
	return end
}

// skipAll reads past an array or object, with what lies in it.
func (d *Decoder) skipAll() (end int) {
	depth := len(d.open)
	if !d.Object() {
		d.Array()
	}
	for len(d.open) > depth && d.err == nil {
		for d.More() {
			if !d.Object() && !d.Array() {
				d.Skip()
			}
		}
	}
	end = d.p
	for end > 0 && blank(d.b[end-1]) {
		end--
	}
	return end
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (d *Decoder) unlike(what string) { d.unlikeAt(d.p, what) }

func (d *Decoder) unlikeAt(at int, what string) {
	if at >= len(d.b) {
		what += ", but the text ends"
	}
	d.fail(at, "it is not "+what)
}

// word reads what has only one form.
func (d *Decoder) word(w string) bool {
	if end := d.p + len(w); end > len(d.b) || string(d.b[d.p:end]) != w {
		d.fail(d.p, "no value")
		return false
	}
	d.p += len(w)
	d.space()
	d.taken = true
	return true
}

// number reads a number and returns how it is written, and whether it has
// neither fraction nor exponent. Where there is none it returns nil.
func (d *Decoder) number() (raw []byte, whole bool) {
	if d.Kind() != Number {
		return nil, false
	}
	b, at := d.b, d.p
	p := at
	if b[p] == '-' {
		p++
	}
	first := p
	for p < len(b) && b[p]-'0' <= 9 {
		p++
	}
	if p == first || b[first] == '0' && p > first+1 {
		d.fail(at, "the number begins wrongly")
		return nil, false
	}
	whole = true
	if p < len(b) && b[p] == '.' {
		whole = false
		p++
		digit := p
		for p < len(b) && b[p]-'0' <= 9 {
			p++
		}
		if p == digit {
			d.fail(at, "the number has a point and no digit behind it")
			return nil, false
		}
	}
	if p < len(b) && b[p]|0x20 == 'e' {
		whole = false
		p++
		if p < len(b) && (b[p] == '+' || b[p] == '-') {
			p++
		}
		digit := p
		for p < len(b) && b[p]-'0' <= 9 {
			p++
		}
		if p == digit {
			d.fail(at, "the number has an exponent without digits")
			return nil, false
		}
	}
	d.p = p
	d.space()
	d.taken = true
	return b[at:p], whole
}

// back makes a number that was read the next value again.
func (d *Decoder) back(at int, raw []byte) {
	if raw != nil && d.err == nil {
		d.p, d.taken = at, false
	}
}

// integer returns the value of digits behind an optional minus sign.
func integer(raw []byte) (n int64, ok bool) {
	negative := raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	const most = 1 << 63
	var u uint64
	if len(raw) > 19 {
		return 0, false
	}
	for _, c := range raw {
		u = u*10 + uint64(c-'0') // 19 digits fit into 64 bits
	}
	switch {
	case negative && u <= most:
		return -int64(u), true
	case !negative && u < most:
		return int64(u), true
	}
	return 0, false
}
