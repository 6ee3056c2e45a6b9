// Command parse is the first step of the tutorial's job: it turns lines of
// JSON into clicks that have a region.
package main

import (
	"errors"
	"math"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/config"
	"github.com/wasmill/wasmill/sdk-go/json"
)

func init() {
	wasmill.OnInit(configure)
	wasmill.Step(step)
}

func main() {}

// settings is the config of the step.
var settings struct {
	Regions   map[string]string `json:"regions"` // by country
	Otherwise string            `json:"otherwise"`
}

func configure(cx *wasmill.Context) error { return config.Decode(cx, &settings) }

// Why a line is no click.
var (
	errNoJSON = errors.New("not JSON")
	errNoUser = errors.New("user is missing")
	errNoPage = errors.New("page is missing")
	errNoMS   = errors.New("ms is not a number")
)

var (
	in  json.Decoder
	out json.Encoder
)

func step(cx *wasmill.Context, r *wasmill.Record) error {
	c.reset()
	if err := c.read(r.Value); err != nil {
		return err
	}
	out.Reset()
	out.BeginObject()
	out.Name("user").Text(c.user)
	out.Name("page").Text(c.page)
	out.Name("ms").Int(c.ms)
	out.Name("region").String(c.region())
	out.EndObject()
	return cx.Emit(&wasmill.Record{Value: out.Bytes()})
}

// c is the click at hand. Its texts are copies, whose memory is used again:
// what a Decoder returns is good until the next call.
var c click

type click struct {
	user, page, country []byte
	ms                  int64
}

func (c *click) reset() {
	c.user, c.page, c.country, c.ms = c.user[:0], c.page[:0], c.country[:0], -1
}

func (c *click) read(line []byte) error {
	in.Reset(line)
	if !in.Object() {
		return errNoJSON
	}
	for in.More() {
		switch string(in.Name()) {
		case "user":
			c.user = text(c.user)
		case "page":
			c.page = text(c.page)
		case "country":
			c.country = text(c.country)
		case "ms":
			var ok bool
			if c.ms, ok = in.TryInt(); !ok {
				c.ms = -1
			}
		}
	}
	switch {
	case in.End() != nil:
		return errNoJSON
	case len(c.user) == 0:
		return errNoUser
	case len(c.page) == 0:
		return errNoPage
	case c.ms < 0 || c.ms > math.MaxInt32:
		return errNoMS
	}
	return nil
}

// text reads the next value into room if it is a string, and nothing if not.
func text(room []byte) []byte {
	t, _ := in.TryText()
	return append(room[:0], t...)
}

func (c *click) region() string {
	if region, ok := settings.Regions[string(c.country)]; ok {
		return region
	}
	return settings.Otherwise
}
