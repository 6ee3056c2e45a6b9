// The corpus' guest in Go: three workloads over the SDK, and as plain exports.
// README.md beside this directory says what they compute.
package main

import (
	"fmt"
	"slices"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/config"
)

var settings struct {
	Workload string `json:"workload"`
}

func init() {
	wasmill.OnInit(func(cx *wasmill.Context) error {
		if err := config.Decode(cx, &settings); err != nil {
			return err
		}
		if !slices.Contains([]string{"json", "hash", "sort"}, settings.Workload) {
			return fmt.Errorf("no workload %q", settings.Workload)
		}
		return nil
	})
	wasmill.Step(step)
}

func main() {}

func step(cx *wasmill.Context, r *wasmill.Record) error {
	var value []byte
	switch settings.Workload {
	case "json":
		var err error
		if value, err = transform(nil, r.Value); err != nil {
			return err
		}
	case "hash":
		sum := offset
		for range 8 {
			sum = fnv(sum, r.Value)
		}
		value = fmt.Appendf(nil, "%08x", sum)
	case "sort":
		value = fmt.Appendf(nil, "%08x", sorted(fnv(offset, r.Value)))
	}
	return cx.Emit(&wasmill.Record{Value: value})
}

//go:wasmexport bench_json
func benchJSON(n int32) int64 {
	sum, rec := offset, []byte(template)
	var out []byte
	for i := range n {
		number(rec, uint32(i))
		var err error
		if out, err = transform(out[:0], rec); err == nil {
			sum = fnv(sum, out)
		}
	}
	return int64(sum)
}

//go:wasmexport bench_hash
func benchHash(n int32) int64 {
	sum, buffer := offset, make([]byte, 100)
	for i := range buffer {
		buffer[i] = byte(i*7 + 3)
	}
	for range n {
		sum = fnv(sum, buffer)
	}
	return int64(sum)
}

//go:wasmexport bench_sort
func benchSort(n int32) int64 {
	sum := offset
	for i := range n {
		sum = fnvWord(sum, sorted(uint32(i)))
	}
	return int64(sum)
}
