package initjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// object calls fn for each member of the JSON object data, with its raw value.
func object(data []byte, fn func(key string, value []byte) error) error {
	return items(data, '{', '}', func(rest []byte) (int, error) {
		n, err := end(rest)
		if err != nil {
			return 0, err
		}
		key, err := text(rest[:n])
		if err != nil {
			return 0, err
		}
		n += space(rest[n:])
		if n == len(rest) || rest[n] != ':' {
			return 0, errSyntax
		}
		n++
		n += space(rest[n:])
		m, err := end(rest[n:])
		if err != nil {
			return 0, err
		}
		return n + m, fn(key, rest[n:n+m])
	})
}

// array calls fn for each element of the JSON array data.
func array(data []byte, fn func(value []byte) error) error {
	return items(data, '[', ']', func(rest []byte) (int, error) {
		n, err := end(rest)
		if err != nil {
			return 0, err
		}
		return n, fn(rest[:n])
	})
}

// items calls item at the start of each part between open and close; it
// returns the part's length.
func items(data []byte, open, close byte, item func(rest []byte) (int, error)) error {
	i := space(data)
	if i == len(data) || data[i] != open {
		return errSyntax
	}
	i++
	i += space(data[i:])
	if i < len(data) && data[i] == close {
		return nil
	}
	for i < len(data) {
		n, err := item(data[i:])
		if err != nil {
			return err
		}
		i += n
		i += space(data[i:])
		if i == len(data) {
			break
		}
		switch data[i] {
		case close:
			return nil
		case ',':
			i++
			i += space(data[i:])
		default:
			return errSyntax
		}
	}
	return errSyntax
}

// end returns the length of the JSON value at the start of data.
func end(data []byte) (int, error) {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			if i >= len(data) {
				return 0, errSyntax
			}
			if depth == 0 {
				return i + 1, nil
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return scalar(i)
			}
			if depth--; depth == 0 {
				return i + 1, nil
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return scalar(i)
			}
		}
	}
	if depth > 0 {
		return 0, errSyntax
	}
	return scalar(len(data))
}

func scalar(n int) (int, error) {
	if n == 0 {
		return 0, errSyntax
	}
	return n, nil
}

// space returns the length of the white space at the start of data.
func space(data []byte) int {
	i := 0
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n') {
		i++
	}
	return i
}

// text decodes a JSON string.
func text(v []byte) (string, error) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return "", errSyntax
	}
	v = v[1 : len(v)-1]
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' {
			out = append(out, v[i])
			continue
		}
		if i++; i == len(v) {
			return "", errSyntax
		}
		switch c := v[i]; c {
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
			r := hex4(v[i+1:])
			i += 4
			if utf16.IsSurrogate(r) && i+2 < len(v) && v[i+1] == '\\' && v[i+2] == 'u' {
				if both := utf16.DecodeRune(r, hex4(v[i+3:])); both != utf8.RuneError {
					r = both
					i += 6
				}
			}
			if r < 0 {
				return "", errSyntax
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", errSyntax
		}
	}
	return string(out), nil
}

// hex4 reads four hexadecimal digits; -1 if v does not begin with them.
func hex4(v []byte) rune {
	if len(v) < 4 {
		return -1
	}
	n, err := strconv.ParseUint(string(v[:4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
