package read

import (
	"bytes"
	"errors"
)

// row is a row of CSV cut into fields. Its fields are views into what parse
// got, or into scratch where quotes were doubled.
type row struct {
	fields  [][]byte
	scratch []byte
}

var (
	errBareQuote = errors.New(`a " inside of a field that does not begin with one`)
	errBehind    = errors.New(`a field goes on behind its closing "`)
	errOpenQuote = errors.New(`a " is never closed`)
)

// parse cuts the first row of data. n is the length of the row with its line
// end; 0 says that the row goes on behind data, which cannot be if last is
// set. With an error n leads behind the next line end.
func (r *row) parse(data []byte, last bool) (n int, err error) {
	r.fields, r.scratch = r.fields[:0], r.scratch[:0]
	for i := 0; ; i++ {
		var field []byte
		if i < len(data) && data[i] == '"' {
			var ok bool
			if field, i, ok = r.quoted(data, i); !ok {
				if last {
					return len(data), errOpenQuote
				}
				return 0, nil
			}
			if i == len(data) && !last {
				return 0, nil
			}
		} else {
			start := i
			for i < len(data) && data[i] != ',' && data[i] != '\n' && data[i] != '"' {
				i++
			}
			if i < len(data) && data[i] == '"' {
				return lineEnd(data, i, last), errBareQuote
			}
			field = data[start:i]
			if i == len(data) || data[i] == '\n' {
				field = bytes.TrimSuffix(field, []byte("\r"))
			}
		}
		r.fields = append(r.fields, field)
		switch {
		case i == len(data):
			if last {
				return i, nil
			}
			return 0, nil
		case data[i] == '\n':
			return i + 1, nil
		case data[i] == ',':
		case data[i] == '\r' && i+1 == len(data) && !last:
			return 0, nil
		case data[i] == '\r' && (i+1 == len(data) || data[i+1] == '\n'):
			return min(i+2, len(data)), nil
		default:
			return lineEnd(data, i, last), errBehind
		}
	}
}

// quoted reads a quoted field that begins at i and returns the index behind
// its closing quote. A quote at the very end of data counts as closing.
func (r *row) quoted(data []byte, i int) (field []byte, end int, ok bool) {
	start := i + 1
	mark := len(r.scratch)
	for j := start; ; {
		k := bytes.IndexByte(data[j:], '"')
		if k < 0 {
			return nil, 0, false
		}
		j += k + 1
		if j < len(data) && data[j] == '"' {
			r.scratch = append(r.scratch, data[start:j]...) // one of the two quotes
			j++
			start = j
			continue
		}
		if len(r.scratch) == mark {
			return data[start : j-1], j, true
		}
		r.scratch = append(r.scratch, data[start:j-1]...)
		return r.scratch[mark:], j, true
	}
}

func lineEnd(data []byte, from int, last bool) int {
	if i := bytes.IndexByte(data[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	if last {
		return len(data)
	}
	return 0
}
