package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	wasmill "github.com/wasmill/wasmill/sdk-go"
)

func echo(cx *wasmill.Context, r *wasmill.Record) error {
	return cx.Emit(&wasmill.Record{Key: r.Key, Value: r.Value, Headers: r.Headers, Flags: r.Flags})
}

// value emits a record that has a value alone.
func value(cx *wasmill.Context, text string) error {
	return cx.Emit(&wasmill.Record{Value: []byte(text)})
}

func sizes(cx *wasmill.Context, b *wasmill.Batch) error {
	n := 0
	for r := range b.All() {
		n += len(r.Key) + len(r.Value)
	}
	return value(cx, fmt.Sprintf("%d %d", b.Len(), n))
}

func outputs(cx *wasmill.Context, r *wasmill.Record) error {
	err := cx.EmitTo(string(r.Value), &wasmill.Record{Key: r.Key, Value: r.Value})
	if errors.Is(err, wasmill.EBADF) {
		return fmt.Errorf("no output %s", r.Value)
	}
	return err
}

// coded is an error with a code of its own.
type coded struct {
	code int32
	text string
}

func (e *coded) Error() string { return e.text }
func (e *coded) Code() int32   { return e.code }

func fail(cx *wasmill.Context, r *wasmill.Record) error {
	what, rest, _ := strings.Cut(string(r.Value), " ")
	switch what {
	case "fail":
		number, text, _ := strings.Cut(rest, " ")
		code, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return err
		}
		return &coded{int32(code), text}
	case "panic":
		panic(rest)
	}
	return cx.Emit(&wasmill.Record{Value: r.Value})
}

func flags(cx *wasmill.Context, r *wasmill.Record) error {
	return errors.Join(
		cx.Emit(&wasmill.Record{Key: []byte("i"), Value: r.Value, Flags: wasmill.Insert}),
		cx.Emit(&wasmill.Record{Key: []byte("u"), Value: r.Value, Flags: wasmill.Update}),
		cx.Emit(&wasmill.Record{Key: []byte("d"), Flags: wasmill.Delete}),
	)
}

func eventTime(cx *wasmill.Context, r *wasmill.Record) error {
	at := wasmill.NoTime
	if string(r.Value) != "none" {
		var err error
		if at, err = strconv.ParseInt(string(r.Value), 10, 64); err != nil {
			return err
		}
	}
	return cx.Emit(&wasmill.Record{Value: r.Value, Time: at})
}

// hoard keeps what loop allocates.
var hoard [][]byte

func loop(cx *wasmill.Context, r *wasmill.Record) error {
	switch string(r.Value) {
	case "loop":
		//lint:ignore SA5002 it is to loop for ever
		for {
		}
	case "oom":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
		}
	case "exit":
		os.Exit(3)
	}
	return cx.Emit(&wasmill.Record{Value: r.Value})
}
