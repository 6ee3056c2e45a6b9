package out

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/plugins/file/internal/read"
)

// Format is how records are written.
type Format uint8

// The formats.
const (
	// JSONL writes a value that is JSON as it is, on one line, and everything
	// else as Object does.
	JSONL Format = iota
	// TextLines writes the value and a \n. A null is an empty line; a value
	// with line ends in it becomes several lines.
	TextLines
	// CSV writes the values of a JSON object; the keys of the first one name
	// the columns of the file.
	CSV
)

// FormatNames are the names of formats in a job file, by value.
var FormatNames = []string{"jsonl", "lines", "csv"}

func formatOf(s string) Format { return Format(max(0, slices.Index(FormatNames, s))) }

func (f Format) ext() string { return [...]string{"jsonl", "txt", "csv"}[f] }

// rejected begins the names of the headers of records that a step, source or
// sink could not handle.
var rejected = []byte("wasmill-")

// AppendJSONL appends r as a line of JSON with its \n.
func AppendJSONL(dst []byte, r *record.Record) []byte {
	if r.Value == nil || isRejected(r) || !json.Valid(r.Value) {
		return append(AppendObject(dst, r), '\n')
	}
	if bytes.IndexByte(r.Value, '\n') < 0 && bytes.IndexByte(r.Value, '\r') < 0 {
		return append(append(dst, r.Value...), '\n')
	}
	b := bytes.NewBuffer(dst)
	_ = json.Compact(b, r.Value) // it is valid
	return append(b.Bytes(), '\n')
}

// AppendLine appends the value of r and a \n.
func AppendLine(dst []byte, r *record.Record) []byte { return append(append(dst, r.Value...), '\n') }

func isRejected(r *record.Record) bool {
	for n := range r.Headers.All() {
		if bytes.HasPrefix(n, rejected) {
			return true
		}
	}
	return false
}

// AppendObject appends r as {"key":…,"value":…,"time":…,"headers":{…}}. Key
// and value are strings of the exact bytes, or null; where the bytes are not
// UTF-8 the member is called key_b64 or value_b64 and is base64. time, in
// milliseconds since 1970, and headers are left out if there are none. A
// header that occurs more than once has an array of values; one that is not
// UTF-8 is written as {"b64":…}.
func AppendObject(dst []byte, r *record.Record) []byte {
	dst = appendBytes(append(dst, '{'), "key", r.Key)
	dst = appendBytes(append(dst, ','), "value", r.Value)
	if r.Time != record.NoTime {
		dst = strconv.AppendInt(append(dst, `,"time":`...), r.Time, 10)
	}
	if r.Headers.Count > 0 {
		dst = appendHeaders(append(dst, `,"headers":`...), r.Headers)
	}
	return append(dst, '}')
}

func appendBytes(dst []byte, name string, b []byte) []byte {
	dst = append(append(dst, '"'), name...)
	switch {
	case b == nil:
		return append(dst, `":null`...)
	case utf8.Valid(b):
		return read.AppendJSONString(append(dst, `":`...), b)
	}
	dst = append(dst, `_b64":"`...)
	return append(base64.StdEncoding.AppendEncode(dst, b), '"')
}

func appendHeaders(dst []byte, h record.Headers) []byte {
	var names []string
	values := map[string][][]byte{}
	for n, v := range h.All() {
		if _, ok := values[string(n)]; !ok {
			names = append(names, string(n))
		}
		values[string(n)] = append(values[string(n)], v)
	}
	dst = append(dst, '{')
	for i, n := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(read.AppendJSONString(dst, n), ':')
		if len(values[n]) == 1 {
			dst = appendHeader(dst, values[n][0])
			continue
		}
		for j, v := range values[n] {
			dst = appendHeader(append(dst, "[,"[min(j, 1)]), v)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func appendHeader(dst, v []byte) []byte {
	switch {
	case v == nil:
		return append(dst, "null"...)
	case utf8.Valid(v):
		return read.AppendJSONString(dst, v)
	}
	dst = append(dst, `{"b64":"`...)
	return append(base64.StdEncoding.AppendEncode(dst, v), `"}`...)
}

// appendCSV appends r as a row, behind a header row if columns is nil, and
// returns the columns.
func appendCSV(dst []byte, r *record.Record, columns []string) ([]byte, []string, error) {
	value := r.Value
	if isRejected(r) {
		value = AppendObject(nil, r)
	}
	names, values, err := members(value)
	if err != nil {
		return dst, columns, fmt.Errorf("csv wants values that are JSON objects, this one is not: %w: %.100q", err, value)
	}
	if columns == nil {
		columns = names
		dst = appendRow(dst, columns)
	}
	row := make([]string, len(columns))
	for i, n := range names {
		at := slices.Index(columns, n)
		if at < 0 {
			return dst, columns, fmt.Errorf("a record has the member %q, which is not among the columns %q that the first record of the file gave it; use format: jsonl", n, columns)
		}
		row[at] = values[i]
	}
	return appendRow(dst, row), columns, nil
}

// members returns the members of a JSON object in order: strings as they are,
// null as "", everything else as its JSON text.
func members(value []byte) (names, values []string, err error) {
	d := json.NewDecoder(bytes.NewReader(value))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, fmt.Errorf("it begins with %v", t)
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, nil, err
		}
		names = append(names, t.(string)) // a member's name, or Token had failed
		values = append(values, text(raw))
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("it has no member")
	}
	return names, values, nil
}

// text returns what a JSON value is as text.
func text(raw json.RawMessage) string {
	var s string
	switch {
	case string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}

func appendRow(dst []byte, fields []string) []byte {
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		quoted := f == "" && len(fields) == 1 // or the line would be blank
		for j := 0; j < len(f) && !quoted; j++ {
			c := f[j]
			quoted = c == ',' || c == '"' || c == '\n' || c == '\r'
		}
		if !quoted {
			dst = append(dst, f...)
			continue
		}
		dst = append(dst, '"')
		for j := range len(f) {
			if f[j] == '"' {
				dst = append(dst, '"')
			}
			dst = append(dst, f[j])
		}
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
