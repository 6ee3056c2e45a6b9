// Command count is the second step of the tutorial's job: it counts the views
// of each page, and their milliseconds.
package main

import (
	"bytes"
	"fmt"
	"strconv"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/json"
)

func init() { wasmill.Step(step) }

func main() {}

var (
	in    json.Decoder
	out   json.Encoder
	value []byte // what is put into the store
)

func step(cx *wasmill.Context, r *wasmill.Record) error {
	if err := c.read(r.Value); err != nil {
		return err
	}
	store := cx.Store("totals")
	old, _, err := store.Get(c.page)
	if err != nil {
		return err
	}
	t, err := parseTotal(old)
	if err != nil {
		return err
	}
	t.views++
	t.ms += c.ms
	value = t.append(value[:0])
	if err := store.Put(c.page, value); err != nil {
		return err
	}
	out.Reset()
	out.BeginObject()
	out.Name("page").Text(c.page)
	out.Name("views").Int(t.views)
	out.Name("ms").Int(t.ms)
	out.Name("region").Text(c.region)
	out.EndObject()
	return cx.Emit(&wasmill.Record{Key: c.page, Value: out.Bytes()})
}

// c is the click at hand. Its texts are copies, whose memory is used again.
var c click

type click struct {
	page, region []byte
	ms           int64
}

// read reads what step parse wrote.
func (c *click) read(value []byte) error {
	in.Reset(value)
	if !in.Object() {
		return fmt.Errorf("not a click: %.80q", value)
	}
	for in.More() {
		switch string(in.Name()) {
		case "page":
			c.page = append(c.page[:0], in.Text()...)
		case "ms":
			c.ms = in.Int()
		case "region":
			c.region = append(c.region[:0], in.Text()...)
		}
	}
	return in.End()
}

// total is what the store has of a page: two decimals with a space between.
type total struct{ views, ms int64 }

// parseTotal parses a value of the store, nil for a page that is new.
func parseTotal(value []byte) (t total, err error) {
	if value == nil {
		return total{}, nil
	}
	views, ms, _ := bytes.Cut(value, []byte(" "))
	if t.views, err = strconv.ParseInt(string(views), 10, 64); err != nil {
		return total{}, err
	}
	t.ms, err = strconv.ParseInt(string(ms), 10, 64)
	return t, err
}

func (t total) append(b []byte) []byte {
	b = strconv.AppendInt(b, t.views, 10)
	return strconv.AppendInt(append(b, ' '), t.ms, 10)
}
