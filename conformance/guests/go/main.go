// Command go is the conformance program of the Go SDK: one step that does
// what the case in its config says.
package main

import (
	"errors"
	"fmt"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/config"
)

// settings is the config. What stands beside the case is that of case config.
var settings struct {
	Case    string  `json:"case"`
	Text    string  `json:"text"`
	Number  int64   `json:"number"`
	List    []int64 `json:"list"`
	Flag    bool    `json:"flag"`
	Nothing any     `json:"nothing"`
	Nested  struct {
		A struct {
			B string `json:"b"`
		} `json:"a"`
	} `json:"nested"`
}

// cases are the functions of the cases that get one record at a time.
var cases = map[string]func(cx *wasmill.Context, r *wasmill.Record) error{
	"config":     configured,
	"echo":       echo,
	"end":        count,
	"fail":       fail,
	"flags":      flags,
	"init-fails": echo,
	"json":       double,
	"log":        log,
	"loop":       loop,
	"metrics":    metrics,
	"now":        now,
	"outputs":    outputs,
	"state":      state,
	"time":       eventTime,
}

// batches are those that get a whole batch.
var batches = map[string]func(cx *wasmill.Context, b *wasmill.Batch) error{
	"batch": sizes,
	"info":  info,
}

func init() {
	wasmill.OnInit(configure)
	wasmill.Step(echo) // until configure knows the case
	wasmill.OnEnd(end)
}

func main() {}

func configure(cx *wasmill.Context) error {
	if err := config.Decode(cx, &settings); err != nil {
		return err
	}
	if settings.Case == "init-fails" {
		return errors.New("configured to fail")
	}
	if fn := batches[settings.Case]; fn != nil {
		wasmill.StepBatch(fn)
		return nil
	}
	fn := cases[settings.Case]
	if fn == nil {
		return fmt.Errorf("no case %q", settings.Case)
	}
	wasmill.Step(fn)
	return nil
}

func end(cx *wasmill.Context, token []byte) ([]byte, error) {
	if settings.Case != "end" {
		return nil, nil
	}
	return counted(cx, token)
}
