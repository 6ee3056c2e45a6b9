package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// Instance is a guest that runs. One goroutine uses it.
type Instance struct {
	module api.Module
	talk   *talk                     // of an interpreter; else nil
	bench  map[Workload]api.Function // of others
}

// startExports starts a guest that exports its workloads.
func startExports(ctx context.Context, instantiate Instantiate) (*Instance, error) {
	module, err := instantiate(ctx, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	in := &Instance{module: module, bench: map[Workload]api.Function{}}
	if initialise := module.ExportedFunction(abi.ExportInitialize); initialise != nil {
		if _, err := initialise.Call(ctx); err != nil {
			return nil, errors.Join(err, module.Close(ctx))
		}
	}
	for _, w := range Workloads {
		in.bench[w] = module.ExportedFunction("bench_" + string(w))
	}
	return in, nil
}

// Module returns the instance's module. An interpreter runs in it from Start
// to Close, even between calls.
func (in *Instance) Module() api.Module { return in.module }

// Run has the guest do n rounds of a workload and returns the checksum, which
// is Want(w, n). An interpreter that ctx ends for is left as it is, and works
// on until something stops it.
func (in *Instance) Run(ctx context.Context, w Workload, n int) (uint32, error) {
	if in.talk != nil {
		return in.talk.ask(ctx, w, n)
	}
	out, err := in.bench[w].Call(ctx, api.EncodeI32(int32(n)))
	if err != nil {
		return 0, err
	}
	return uint32(out[0]), nil
}

// Init has a step choose its workload; once in the life of an instance,
// before Batch.
func (in *Instance) Init(ctx context.Context, w Workload) error {
	payload, err := json.Marshal(map[string]any{
		"abi_minor": abi.Minor, "tenant": "corpus", "job": "corpus", "step": "corpus", "task": 0, "partitions": 1,
		"config": map[string]any{"workload": w},
		"inputs": []string{"in"}, "outputs": []string{"out"}, "stores": []string{}, "lookups": []string{},
		"limits": map[string]int{"memory": 64 << 20, "record": abi.MaxRecord, "batch": abi.MaxBatch, "emit": abi.MaxEmit, "key": abi.MaxKey, "state_value": abi.MaxStateValue, "log_rate": abi.MaxLogRate},
	})
	if err != nil {
		return err
	}
	return in.call(ctx, abi.ExportInit, payload)
}

// Outcome is what a step made of a record.
type Outcome struct {
	Value    []byte // that it emitted
	Rejected bool   // it called fail
}

// Batch passes records with these values to a step as one batch and returns
// what became of each, in their order. It is an error if a record had not one
// outcome, or an emitted frame was not exact.
func (in *Instance) Batch(ctx context.Context, values [][]byte) ([]Outcome, error) {
	var b wire.Batch
	for i, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(i), Flags: record.Insert, Value: v})
	}
	var effects effects
	if err := in.call(withEffects(ctx, &effects), abi.ExportProcess, b.AppendFrame(nil), uint64(abi.OpBatch)); err != nil {
		return nil, err
	}
	return effects.outcomes(len(values))
}

// call asks for room, writes the payload and calls an export with what comes
// before the payload among its parameters.
func (in *Instance) call(ctx context.Context, export string, payload []byte, before ...uint64) error {
	out, err := in.module.ExportedFunction(abi.ExportAlloc).Call(ctx, uint64(len(payload)))
	if err != nil {
		return err
	}
	at := uint32(out[0])
	if at == 0 || at%8 != 0 || !in.module.Memory().Write(at, payload) {
		return fmt.Errorf("%s(%d) returned %#x", abi.ExportAlloc, len(payload), at)
	}
	out, err = in.module.ExportedFunction(export).Call(ctx, slices.Concat(before, []uint64{uint64(at), uint64(len(payload))})...)
	if err != nil {
		return err
	}
	if status := int32(out[0]); status != abi.StatusDone {
		return fmt.Errorf("%s returned %d", export, status)
	}
	return nil
}

// Close ends the instance. Of an interpreter it waits until it is through with
// its script.
func (in *Instance) Close(ctx context.Context) error {
	var err error
	if in.talk != nil {
		err = in.talk.end()
	}
	return errors.Join(err, in.module.Close(ctx))
}
