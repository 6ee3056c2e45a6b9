package peers_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
)

// host takes what is emitted. It checks no frame, as the peers' hosts do not.
type host struct {
	guest.Calls // nil: nothing else is called
	keep        bool
	frames      [][]byte
}

func (h *host) Emit(frame []byte) abi.Errno {
	if h.keep {
		h.frames = append(h.frames, bytes.Clone(frame))
	}
	return abi.OK
}

func (*host) LogEnabled(guest.Level) bool { return false }

// wasmillContestants are a module in the form that a job runs, which the host
// can stop at any time.
func wasmillContestants(b *testing.B) (all []contestant) {
	ctx := context.WithoutCancel(b.Context())
	wasm := wasmillStep(b)
	e, err := guest.NewEngine(ctx, guest.EngineOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	m, err := e.Compile(ctx, wasm, "wasmill")
	if err != nil {
		b.Fatal(err)
	}
	h := &host{}
	in, err := m.Instantiate(ctx, guest.Init{Inputs: []string{"in"}, Outputs: []string{"out"}}, h)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 16, 256, 1024} {
		batch := &wire.Batch{Partition: record.Partition{Name: "bench"}}
		for i, r := range records(n) {
			batch.Add(&record.Record{Time: record.NoTime, Position: record.Position(i), Value: r})
		}
		all = append(all, contestant{peer: "wasmill", way: "step", batch: n, bytes: len(wasm), prepare: func(b *testing.B, times int, check func([]string)) func() {
			return func() {
				h.keep, h.frames = check != nil, nil
				for range times {
					if status, err := in.Batch(ctx, batch); err != nil || status != abi.OK {
						b.Fatal(status, err)
					}
				}
				if check != nil {
					check(values(b, h.frames))
				}
			}
		}})
	}
	return all
}

func values(b *testing.B, frames [][]byte) (all []string) {
	for _, frame := range frames {
		batch, err := wire.Parse(frame)
		if err != nil {
			b.Fatal(err)
		}
		var r record.Record
		for rest := batch.Records; len(rest) > 0; {
			rest = wire.Next(rest, &r)
			all = append(all, string(r.Value))
		}
	}
	return all
}
