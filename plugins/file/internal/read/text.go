package read

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/plugins"
)

func position(off int64) record.Position { return record.Position(off) }

// head returns a copy of the first bytes of a record that is at fault.
func head(b []byte) []byte { return bytes.Clone(b[:min(len(b), 1<<10)]) }

func recordError(code string, pos, next int64, value []byte, err error) *plugins.RecordError {
	return &plugins.RecordError{Code: code, Position: position(pos), Next: position(next), Value: head(value), Err: err}
}

func quote(path string) string { return strconv.Quote(path) }

// trimBOM takes the byte order mark of UTF-8 away from the start of a file.
func trimBOM(b []byte, pos int64) []byte {
	if pos == 0 {
		return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	return b
}

// AppendJSONString appends s, which is UTF-8, as a JSON string. Invalid bytes
// become U+FFFD: whoever must not lose them checks first.
func AppendJSONString[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(append(dst, s[from:i]...), '\\', c)
		case c == '\n':
			dst = append(append(dst, s[from:i]...), '\\', 'n')
		case c == '\r':
			dst = append(append(dst, s[from:i]...), '\\', 'r')
		case c == '\t':
			dst = append(append(dst, s[from:i]...), '\\', 't')
		case c < 0x20 || c == 0x7f:
			dst = append(append(dst, s[from:i]...), '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			i++
			continue
		default:
			r, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				break
			}
			i += n
			continue
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}
