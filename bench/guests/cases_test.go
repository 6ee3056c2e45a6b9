package guests_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// kase is a case of the conformance program, with the records that it gets.
type kase struct {
	name  string
	value func(i int) string
}

// cases are a step that only hands on, one that computes, and one that asks
// the host for each record. conformance/README.md says what they do.
var cases = []kase{
	{"echo", click},
	{"json", click},
	{"state", func(i int) string { return fmt.Sprintf("count k%d", i%500) }},
}

const clickBytes = 120

// click is an object of 120 bytes of JSON, of which the case json wants two
// fields.
func click(i int) string {
	head := fmt.Sprintf(`{"user":"u%d","n":%d,"page":"/p/%d","ms":%d.5,"ok":true,"country":"de","agent":"`, i%1000, i, i%77, i%300)
	return head + strings.Repeat("x", clickBytes-len(head)-len(`"}`)) + `"}`
}

// sizes are the numbers of records of the batches that are measured.
var sizes = []int{1, 16, 256, 1024}

// batch returns n records of a case.
func (c *kase) batch(n int) *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "bench"}}
	for i := range n {
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(i), Key: fmt.Appendf(nil, "k%d", i), Value: []byte(c.value(i))})
	}
	return b
}

// init is what an instance of a case begins with.
func (c *kase) init(run guest.Run) guest.Init {
	return guest.Init{
		Job: "bench", Step: "step", Tenant: "bench", Partitions: 1,
		Config: map[string]any{"case": c.name}, Inputs: []string{"in"}, Outputs: []string{"main", "left", "right"}, Stores: []string{"state"},
		Run: run,
	}
}

// payload is what init gets of it, as JSON.
func (c *kase) payload() []byte {
	i := c.init(guest.Run{})
	i.ABIMinor, i.Lookups, i.Limits = abi.Minor, []string{}, guest.Limits{}.WithDefaults()
	i.Limits.Memory = guest.DefaultMemory
	text, err := json.Marshal(i)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return text
}
