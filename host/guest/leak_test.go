package guest_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// use reports what is in use after a collection.
func use() (heap uint64, goroutines int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}

func TestInstances_LeaveNothingBehind(t *testing.T) {
	ctx := context.Background()
	e := engine(t, guest.EngineOptions{})
	cycle := func(wasm []byte, dies bool) {
		m, err := e.Compile(ctx, wasm, "m")
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.Instantiate(ctx, guest.Init{}, &calls{quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Batch(ctx, batch("a", "b")); (err != nil) != dies {
			t.Fatal(err)
		}
		if err := in.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	guests := map[*[]byte]bool{&passthrough.Wasm: false}
	trapping, exiting, failing := wasmtest.TrapOn("b"), wasmtest.Exit(1), wasmtest.InitReturning(-1)
	guests[&trapping], guests[&exiting] = true, true
	round := func() {
		for wasm, dies := range guests {
			cycle(*wasm, dies)
		}
		m, err := e.Compile(ctx, failing, "m")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Instantiate(ctx, guest.Init{}, &calls{}); err == nil {
			t.Fatal("an init that fails is no error")
		}
		if err := m.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		round()
	}
	heap, goroutines := use()
	for range 50 { // 200 instances of 64 KiB and more
		round()
	}
	heapAfter, goroutinesAfter := use()
	if heapAfter > heap+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", heap, heapAfter)
	}
	if goroutinesAfter > goroutines {
		t.Errorf("goroutines grew from %d to %d", goroutines, goroutinesAfter)
	}
}
