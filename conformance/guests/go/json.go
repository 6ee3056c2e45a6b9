package main

import (
	"errors"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/json"
)

var (
	errNoClick = errors.New("not a click")
	in         json.Decoder
	out        json.Encoder
	user       []byte // of the record, a copy: reading on overwrites a text with escapes
)

func double(cx *wasmill.Context, r *wasmill.Record) error {
	hasUser, hasN, n := false, false, int64(0)
	in.Reset(r.Value)
	if !in.Object() {
		return errNoClick
	}
	for in.More() {
		switch string(in.Name()) {
		case "user":
			var text []byte
			text, hasUser = in.TryText()
			user = append(user[:0], text...)
		case "n":
			n, hasN = in.TryInt()
		}
	}
	if in.End() != nil || !hasUser || !hasN {
		return errNoClick
	}
	out.Reset()
	out.BeginObject()
	out.Name("user").Text(user)
	out.Name("twice").Int(2 * n)
	out.EndObject()
	return cx.Emit(&wasmill.Record{Value: out.Bytes()})
}
