//go:build !wasip1

package wasmilltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/internal/host"
)

// Options say what the job file would say of the step.
type Options struct {
	Config  any      // encoded as JSON; nil = no config
	Inputs  []string // default: in
	Outputs []string // default: out
	Stores  []string // default: none
	Record  int      // limit in bytes on a record, default 1 MiB
	Key     int      // limit in bytes on a key of a store, default 4 KiB
}

// Host runs the step that the package under test has registered. Its methods
// are used by one goroutine.
type Host struct {
	opts Options
	in   host.Instance

	stores  []map[string]string
	logs    []string
	metrics []metric

	// Of the running call:
	op      int32 // 0 during init
	records int   // of the batch
	bytes   int   // emitted
	now     int64
	emitted []Emitted
	failed  []Failed
	token   []byte
	fault   error // a fault in the interface, such as a malformed frame
	place   byte  // of the batch among those of the test, as the seed of random numbers
}

type metric struct {
	name  string
	kind  int32
	value int64
}

// New starts the step and ends the test if it does not start.
func New(t testing.TB, o Options) *Host {
	t.Helper()
	h, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Open starts the step. The error is that of its OnInit, or a mistake in o.
func Open(o Options) (*Host, error) {
	if o.Inputs == nil {
		o.Inputs = []string{"in"}
	}
	if o.Outputs == nil {
		o.Outputs = []string{"out"}
	}
	if o.Record == 0 {
		o.Record = 1 << 20
	}
	if o.Key == 0 {
		o.Key = 4 << 10
	}
	h := &Host{opts: o, in: host.NewInstance()}
	for range o.Stores {
		h.stores = append(h.stores, map[string]string{})
	}
	payload, err := json.Marshal(map[string]any{
		"abi_minor": 1, "tenant": "default", "job": "test", "step": "test", "task": 0, "partitions": 1,
		"config": o.Config, "inputs": o.Inputs, "outputs": o.Outputs, "stores": list(o.Stores), "lookups": []string{},
		"limits": map[string]int{
			"memory": 64 << 20, "record": o.Record, "batch": 4 << 20, "emit": maxEmit,
			"key": o.Key, "state_value": maxStateValue, "log_rate": 64 << 10,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("wasmilltest: the config is no JSON: %w", err)
	}
	if _, err := h.call(0, 0, payload, h.in.Init); err != nil {
		return nil, err
	}
	return h, nil
}

// The operations.
const (
	opBatch int32 = 1
	opEnd   int32 = 3
)

func list(s []string) []string { return append([]string{}, s...) }

// call hands payload, a batch of that many records for opBatch, to the
// instance as the host does and returns the status.
func (h *Host) call(op int32, records int, payload []byte, fn func([]byte) int32) (int32, error) {
	h.op, h.records, h.bytes = op, records, 0
	h.emitted, h.failed, h.token, h.fault = nil, nil, nil, nil
	logged := len(h.logs)
	status := host.Call((*fake)(h), func() int32 {
		buf := h.in.Alloc(len(payload))
		copy(buf, payload)
		defer func() {
			for i := range buf {
				buf[i] = 0xdb
			}
		}()
		return fn(buf)
	})
	if h.fault != nil {
		return status, h.fault
	}
	if status < 0 {
		err := fmt.Errorf("the step answers %w", wasmill.Errno(-status))
		if len(h.logs) > logged {
			err = errors.New(h.logs[len(h.logs)-1])
		}
		return status, err
	}
	return status, nil
}

// Store returns a copy of a store, nil if there is none of that name.
func (h *Host) Store(name string) map[string]string {
	for i, n := range h.opts.Stores {
		if n == name {
			return maps.Clone(h.stores[i])
		}
	}
	return nil
}

// Logs returns what was logged, each line with its level before it.
func (h *Host) Logs() []string { return h.logs }

// Metric returns the value of a metric, 0 if there is none of that name.
func (h *Host) Metric(name string) int64 {
	for _, m := range h.metrics {
		if m.name == name {
			return m.value
		}
	}
	return 0
}
