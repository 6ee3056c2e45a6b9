package guest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// engine returns an engine that compiles in memory and is closed with the test.
func engine(tb testing.TB, opts guest.EngineOptions) *guest.Engine {
	tb.Helper()
	opts.NoCache = true
	e, err := guest.NewEngine(context.Background(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// instance compiles a module and makes one instance of it.
func instance(tb testing.TB, wasm []byte, c *calls) guest.Instance {
	tb.Helper()
	in, err := instantiate(tb, engine(tb, guest.EngineOptions{MemoryLimit: 1 << 20}), wasm, c)
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

func instantiate(tb testing.TB, e *guest.Engine, wasm []byte, c *calls) (guest.Instance, error) {
	tb.Helper()
	ctx := context.Background()
	m, err := e.Compile(ctx, wasm, tb.Name())
	if err != nil {
		tb.Fatal(err)
	}
	in, err := m.Instantiate(ctx, guest.Init{Step: "step", Stores: []string{"s"}}, c)
	if err == nil {
		tb.Cleanup(func() {
			if err := in.Close(ctx); err != nil {
				tb.Error(err)
			}
		})
	}
	return in, err
}

// batch holds a record for each value, with positions from 100 on.
func batch(values ...string) *wire.Batch {
	b := &wire.Batch{Partition: record.Partition{Name: "topic", Number: 3}}
	for i, v := range values {
		b.Add(&record.Record{Time: 5, Position: record.Position(100 + i), Key: fmt.Appendf(nil, "k%d", i), Value: []byte(v)})
	}
	return b
}

// run gives a batch to the instance and expects it to be done.
func run(tb testing.TB, in guest.Instance, b *wire.Batch) {
	tb.Helper()
	if status, err := in.Batch(context.Background(), b); err != nil || status != abi.OK {
		tb.Fatalf("batch: status %v, error %v", status, err)
	}
}

// trap gives a batch to the instance and expects it to die.
func trap(tb testing.TB, in guest.Instance, b *wire.Batch) *guest.Trap {
	tb.Helper()
	_, err := in.Batch(context.Background(), b)
	var t *guest.Trap
	if !errors.As(err, &t) {
		tb.Fatalf("batch: error %v, want a trap", err)
	}
	if _, again := in.Batch(context.Background(), b); !errors.Is(again, err) {
		tb.Fatalf("a dead instance: error %v, want the same trap", again)
	}
	return t
}

func TestBatch_PassThroughEmitsWhatItGot(t *testing.T) {
	c := &calls{}
	in := instance(t, passthrough.Wasm, c)
	run(t, in, batch("a", "", "c"))
	want := []rec{{"k0", "a", 0, 0, 0}, {"k1", "", 1, 0, 0}, {"k2", "c", 2, 0, 0}}
	if fmt.Sprint(c.records) != fmt.Sprint(want) {
		t.Fatalf("records %v, want %v", c.records, want)
	}
	run(t, in, batch())
	if c.frames != 2 {
		t.Fatalf("%d frames after an empty batch, want 2", c.frames)
	}
}

func TestBatch_GrowsTheGuestToFitABigOne(t *testing.T) {
	c := &calls{}
	in := instance(t, passthrough.Wasm, c)
	before := in.MemoryBytes()
	big := strings.Repeat("x", 300<<10)
	run(t, in, batch(big))
	if c.records[0].value != big {
		t.Fatal("the value came out changed")
	}
	if after := in.MemoryBytes(); after <= before || after > 1<<20 {
		t.Fatalf("memory went from %d to %d bytes", before, after)
	}
}

func TestBatch_StatusesOfTheGuest(t *testing.T) {
	c := &calls{}
	in := instance(t, wasmtest.Returning(-28), c)
	if status, err := in.Batch(context.Background(), batch("a")); status != abi.ENOSPC || err != nil {
		t.Fatalf("status %v, error %v", status, err)
	}
	if more, status, err := in.End(context.Background(), nil); more || status != abi.ENOSPC || err != nil {
		t.Fatalf("end: more %v, status %v, error %v", more, status, err)
	}
	for _, status := range []int32{1, 2} {
		in := instance(t, wasmtest.Returning(status), c)
		if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapABI {
			t.Fatalf("status %d of a batch: %v", status, tr)
		}
	}
	in = instance(t, wasmtest.Returning(1), c)
	if more, status, err := in.End(context.Background(), []byte("token")); !more || status != abi.OK || err != nil {
		t.Fatalf("end: more %v, status %v, error %v", more, status, err)
	}
	in = instance(t, wasmtest.Returning(2), c)
	if _, _, err := in.End(context.Background(), nil); err == nil {
		t.Fatal("status 2 of end is no error")
	}
}

func TestBatch_ACancelledContextLeavesTheInstanceAlive(t *testing.T) {
	c := &calls{}
	in := instance(t, passthrough.Wasm, c)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := in.Batch(ctx, batch("a")); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	run(t, in, batch("a"))
}

func TestBatch_AllocatesNothing(t *testing.T) {
	ctx := context.Background()
	m, err := engine(t, guest.EngineOptions{}).Compile(ctx, passthrough.Wasm, "p")
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instantiate(ctx, guest.Init{}, &sink{})
	if err != nil {
		t.Fatal(err)
	}
	b := benchBatch()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := in.Batch(ctx, b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Fatalf("%v allocations a batch", n)
	}
}

func TestEnd_HandsTheTokenBack(t *testing.T) {
	im, _ := abi.FindImport("resume")
	var resume uint32
	wasm := wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		resume = m.Import(abi.ImportModule, im.Name, letters(im.Params), letters(im.Results))
	}, func(i wasmtest.Imports) []byte {
		return wasmtest.Code( // log the token, resume with it, say more if there is one
			wasmtest.Const(1), wasmtest.Get(wasmtest.Ptr), wasmtest.Get(wasmtest.Len), wasmtest.Call(i.Log), wasmtest.Drop,
			wasmtest.Get(wasmtest.Ptr), wasmtest.Get(wasmtest.Len), wasmtest.Call(resume), wasmtest.Drop,
			wasmtest.Get(wasmtest.Len), wasmtest.Const(0), wasmtest.GtU,
		)
	})
	c := &calls{}
	in := instance(t, wasm, c)
	if more, _, err := in.End(t.Context(), nil); more || err != nil || len(c.token) != 0 {
		t.Fatalf("more %v, error %v, token %q", more, err, c.token)
	}
	if more, _, err := in.End(t.Context(), []byte("here")); !more || err != nil || string(c.token) != "here" || c.lines[1] != "here" {
		t.Fatalf("more %v, error %v, token %q, lines %q", more, err, c.token, c.lines)
	}
}

func TestInstance_ClosedTwiceAndThenUsed(t *testing.T) {
	in := instance(t, passthrough.Wasm, &calls{})
	for range 2 {
		if err := in.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapStop {
		t.Fatalf("a closed instance: %v", tr)
	}
	if in.MemoryBytes() != 0 {
		t.Fatal("a closed instance has memory")
	}
}

func TestEngine_ClosedBeforeItsInstances(t *testing.T) {
	ctx := context.Background()
	e, err := guest.NewEngine(ctx, guest.EngineOptions{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Compile(ctx, passthrough.Wasm, "p")
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instantiate(ctx, guest.Init{}, &calls{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if tr := trap(t, in, batch("a")); tr.Kind != guest.TrapStop || tr.Message != "the engine is closed" {
		t.Fatalf("trap %v", tr)
	}
	if err := errors.Join(in.Close(ctx), m.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Instantiate(ctx, guest.Init{}, &calls{}); err == nil {
		t.Fatal("an instance on a closed engine")
	}
}
