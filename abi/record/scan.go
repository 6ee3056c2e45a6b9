package record

import (
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep a value that is stepped over may be nested.
const maxDepth = 512

// scanner walks over JSON text without building anything.
type scanner struct {
	b []byte
	i int
}

func (j *scanner) space() {
	for j.i < len(j.b) {
		switch j.b[j.i] {
		case ' ', '\t', '\n', '\r':
			j.i++
		default:
			return
		}
	}
}

// next returns the next byte that is not space, 0 at the end.
func (j *scanner) next() byte {
	j.space()
	if j.i == len(j.b) {
		return 0
	}
	return j.b[j.i]
}

// enter moves to the member or element that name says.
func (j *scanner) enter(name string) error {
	switch j.next() {
	case '{':
		return j.member(name)
	case '[':
		return j.element(name)
	case 0:
		return errSyntax
	}
	return errMissing
}

func (j *scanner) member(name string) error {
	j.i++
	if j.next() == '}' {
		return errMissing
	}
	for {
		if j.next() != '"' {
			return errSyntax
		}
		key, err := j.str()
		if err != nil {
			return err
		}
		if j.next() != ':' {
			return errSyntax
		}
		j.i++
		if string(key) == name {
			return nil
		}
		if err := j.skip(0); err != nil {
			return err
		}
		if err := j.more('}'); err != nil {
			return err
		}
	}
}

func (j *scanner) element(name string) error {
	n, err := strconv.ParseUint(name, 10, 31)
	if err != nil || strconv.FormatUint(n, 10) != name {
		return errMissing
	}
	j.i++
	if j.next() == ']' {
		return errMissing
	}
	for ; n > 0; n-- {
		if err := j.skip(0); err != nil {
			return err
		}
		if err := j.more(']'); err != nil {
			return err
		}
	}
	return nil
}

// more steps over a comma; at the closing byte there is nothing more.
func (j *scanner) more(end byte) error {
	switch j.next() {
	case ',':
		j.i++
		return nil
	case end:
		return errMissing
	}
	return errSyntax
}

// skip steps over a value.
func (j *scanner) skip(depth int) error {
	if depth == maxDepth {
		return errSyntax
	}
	switch c := j.next(); c {
	case '{', '[':
		end := c + 2 // of both pairs in ASCII
		j.i++
		if j.next() == end {
			j.i++
			return nil
		}
		for {
			if c == '{' {
				if j.next() != '"' {
					return errSyntax
				}
				if err := j.skipString(); err != nil {
					return err
				}
				if j.next() != ':' {
					return errSyntax
				}
				j.i++
			}
			if err := j.skip(depth + 1); err != nil {
				return err
			}
			switch j.next() {
			case ',':
				j.i++
			case end:
				j.i++
				return nil
			default:
				return errSyntax
			}
		}
	case '"':
		return j.skipString()
	default:
		_, err := j.word()
		return err
	}
}

func (j *scanner) skipString() error {
	for j.i++; j.i < len(j.b); j.i++ {
		switch c := j.b[j.i]; {
		case c == '"':
			j.i++
			return nil
		case c == '\\':
			j.i++
		case c < ' ':
			return errSyntax
		}
	}
	return errSyntax
}

// scalar reads a string, number, true or false.
func (j *scanner) scalar() ([]byte, error) {
	switch j.next() {
	case '"':
		return j.str()
	case '{':
		return nil, errors.New("is an object")
	case '[':
		return nil, errors.New("is an array")
	}
	w, err := j.word()
	if err == nil && string(w) == "null" {
		return nil, errors.New("is null")
	}
	return w, err
}

// word reads a number or a literal.
func (j *scanner) word() ([]byte, error) {
	from := j.i
	for j.i < len(j.b) && wordByte(j.b[j.i]) {
		j.i++
	}
	w := j.b[from:j.i:j.i]
	switch string(w) {
	case "true", "false", "null":
		return w, nil
	}
	if !number(w) {
		return nil, errSyntax
	}
	return w, nil
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// number reports whether w is a number of RFC 8259.
func number(w []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(w) && w[n] >= '0' && w[n] <= '9' {
			n++
		}
		w = w[n:]
		return n > 0
	}
	if len(w) > 0 && w[0] == '-' {
		w = w[1:]
	}
	if len(w) > 1 && w[0] == '0' && w[1] >= '0' && w[1] <= '9' || !digits() {
		return false
	}
	if len(w) > 0 && w[0] == '.' {
		if w = w[1:]; !digits() {
			return false
		}
	}
	if len(w) > 0 && (w[0] == 'e' || w[0] == 'E') {
		if w = w[1:]; len(w) > 0 && (w[0] == '+' || w[0] == '-') {
			w = w[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(w) == 0
}

// str reads a string; without escapes it is a view.
func (j *scanner) str() ([]byte, error) {
	from := j.i + 1
	if err := j.skipString(); err != nil {
		return nil, err
	}
	s := j.b[from : j.i-1 : j.i-1]
	for i, c := range s {
		if c == '\\' {
			return unescape(s, i)
		}
	}
	return s, nil
}

// unescape decodes s, whose first backslash is at i.
func unescape(s []byte, i int) ([]byte, error) {
	out := append([]byte{}, s[:i]...)
	for i < len(s) {
		c := s[i]
		i++
		if c != '\\' {
			out = append(out, c)
			continue
		}
		if i == len(s) {
			return nil, errSyntax
		}
		c = s[i]
		i++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := hex4(s[i:])
			if !ok {
				return nil, errSyntax
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if i+6 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
					low, _ = hex4(s[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, errSyntax
		}
	}
	return out, nil
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(n), err == nil
}
