package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

var errNoClick = errors.New("not a click")

func double(cx *wasmill.Context, r *wasmill.Record) error {
	var click struct {
		User *string `json:"user"`
		N    *int64  `json:"n"`
	}
	if err := json.Unmarshal(r.Value, &click); err != nil || click.User == nil || click.N == nil {
		return errNoClick
	}
	return value(cx, `{"user":`+quote(*click.User)+`,"twice":`+strconv.FormatInt(2**click.N, 10)+`}`)
}

// quote writes a string of JSON in which only what has to be is escaped;
// encoding/json escapes more.
func quote(s string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		if at := strings.IndexByte("\"\\\b\f\n\r\t", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`"\bfnrt`[at])
		} else if c < ' ' {
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
