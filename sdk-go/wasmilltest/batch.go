//go:build !wasip1

package wasmilltest

import (
	"maps"

	wasmill "github.com/wasmill/wasmill/sdk-go"
	"github.com/wasmill/wasmill/sdk-go/record"
)

// Result is what came of a call.
type Result struct {
	Emitted []Emitted
	Failed  []Failed
	Err     error // the step refused the batch as a whole; nothing of it counts
}

// Emitted is a record that the step emitted.
type Emitted struct {
	Output string
	Cause  int // index of the record of the batch that caused it, -1 for the batch
	Record wasmill.Record
}

// Failed is a record that the step rejected.
type Failed struct {
	Index int // in the batch
	Code  int32
	Text  string
}

// Values returns the emitted values as strings, for short comparisons.
func (r Result) Values() []string {
	var out []string
	for _, e := range r.Emitted {
		out = append(out, string(e.Record.Value))
	}
	return out
}

// Batch runs one batch. If records fail, all that the batch did is undone and
// the others run again, until none fails. A record's Index does not count.
func (h *Host) Batch(records ...wasmill.Record) Result {
	return h.BatchOf("test", 0, records...)
}

// BatchOf is Batch with the partition that the records come from.
func (h *Host) BatchOf(partition string, number uint32, records ...wasmill.Record) Result {
	left := make([]int, len(records)) // index in records of those that have not failed
	for i := range left {
		left[i] = i
	}
	var res Result
	h.place++
	before := h.now
	for {
		undo := h.snapshot()
		h.now = latest(records, left, before)
		_, err := h.process(opBatch, len(left), encode(partition, number, records, left))
		if err != nil {
			h.stores = undo
			res.Err = err
			return res
		}
		if len(h.failed) == 0 {
			for _, e := range h.emitted {
				if e.Cause >= 0 {
					e.Cause = left[e.Cause]
				}
				res.Emitted = append(res.Emitted, e)
			}
			return res
		}
		h.stores = undo
		bad := map[int]bool{}
		for _, f := range h.failed {
			if bad[f.Index] {
				continue
			}
			bad[f.Index] = true
			f.Index = left[f.Index]
			res.Failed = append(res.Failed, f)
		}
		var rest []int
		for i, at := range left {
			if !bad[i] {
				rest = append(rest, at)
			}
		}
		if left = rest; len(left) == 0 {
			return res
		}
	}
}

// End tells the step that its input is over, and calls it again as long as it
// has more to do.
func (h *Host) End() Result {
	var res Result
	var token []byte
	for {
		h.place++
		undo := h.snapshot()
		status, err := h.process(opEnd, 0, token)
		if err != nil {
			h.stores = undo
			res.Err = err
			return res
		}
		res.Emitted = append(res.Emitted, h.emitted...)
		if status != 1 {
			return res
		}
		token = h.token
	}
}

func (h *Host) process(op int32, records int, payload []byte) (int32, error) {
	return h.call(op, records, payload, func(b []byte) int32 { return h.in.Process(op, b) })
}

// latest returns the largest event time of the records picked, in nanoseconds;
// otherwise if none has one.
func latest(records []wasmill.Record, pick []int, otherwise int64) int64 {
	at := record.NoTime
	for _, i := range pick {
		at = max(at, records[i].Time)
	}
	if at == record.NoTime {
		return otherwise
	}
	return at * 1_000_000
}

func (h *Host) snapshot() []map[string]string {
	var out []map[string]string
	for _, m := range h.stores {
		out = append(out, maps.Clone(m))
	}
	return out
}

func encode(partition string, number uint32, records []wasmill.Record, pick []int) []byte {
	var b record.Builder
	b.Reset(partition, number)
	for _, i := range pick {
		r := &records[i]
		b.Add(r, record.Size(r.Len()), record.Place{Time: r.Time, Position: r.Position, Stream: r.Stream})
	}
	return b.Frame()
}
