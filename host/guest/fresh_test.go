package guest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// An instance may be replaced between any two batches, so that one for all
// and one for each must come to the same.
func TestInstance_OneForAllOrOneForEach(t *testing.T) {
	var batches [][]string
	for i := range 20 {
		batches = append(batches, []string{fmt.Sprintf("the %d words", i), "bad", strings.Repeat("of a line ", i) + "end"})
	}
	for _, g := range []struct {
		name string
		wasm func(testing.TB) []byte
	}{
		{"passes on", func(testing.TB) []byte { return wasmtest.PassThrough() }},
		{"rejects", func(testing.TB) []byte { return wasmtest.FailOn("bad", "no good") }},
		{"counts in state", func(testing.TB) []byte { return wasmtest.Count("none") }},
		{"in Go", tokenize},
	} {
		t.Run(g.name, func(t *testing.T) {
			if testing.Short() && g.name == "in Go" {
				t.Skip("compiles for seconds")
			}
			e := engine(t, guest.EngineOptions{})
			m := compiled(t, e, g.wasm(t))
			init := guest.Init{Step: "step", Stores: []string{"s"}}
			process := func(each bool) *calls {
				c := &calls{}
				var in guest.Instance
				for i, values := range batches {
					if in == nil || each {
						if in != nil {
							if err := in.Close(t.Context()); err != nil {
								t.Fatal(err)
							}
						}
						var err error
						if in, err = m.Instantiate(t.Context(), init, c); err != nil {
							t.Fatal(err)
						}
					}
					b := batch(values...)
					b.Partition.Number = uint32(i)
					run(t, in, b)
				}
				if err := in.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				// A Go map's order is of the instance: what a batch gives is a set.
				slices.SortStableFunc(c.records, func(a, b rec) int { return strings.Compare(a.key+" "+a.value, b.key+" "+b.value) })
				return c
			}
			one, each := process(false), process(true)
			if !slices.Equal(one.records, each.records) || !slices.Equal(one.fails, each.fails) || fmt.Sprint(one.state) != fmt.Sprint(each.state) {
				t.Errorf("one instance gives %d records, %d fails, state %v; one each %d, %d, %v", len(one.records), len(one.fails), one.state, len(each.records), len(each.fails), each.state)
			}
			if len(one.records) == 0 {
				t.Error("nothing came out")
			}
		})
	}
}
