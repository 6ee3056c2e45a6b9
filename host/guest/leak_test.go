package guest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// reserved returns the address space of the process in bytes.
func reserved(t *testing.T) (pages int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("needs /proc")
	}
	if _, err := fmt.Sscan(string(b), &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// starting is a module whose start function traps.
func starting() []byte {
	return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		m.Start(m.Func("start", "", "", "", wasmtest.Unreachable))
	}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
}

func TestInstantiate_AStartFunctionThatTraps(t *testing.T) {
	_, err := instantiate(t, engine(t, guest.EngineOptions{}), starting(), &calls{})
	var tr *guest.Trap
	if !errors.As(err, &tr) || tr.Kind != guest.TrapInit || tr.Function != "start" || tr.Message != "the start function: unreachable" {
		t.Fatalf("error %v", err)
	}
}

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
	trapping, exiting := wasmtest.TrapOn("b"), wasmtest.Exit(1)
	failing := [][]byte{wasmtest.InitReturning(-1), starting()}
	guests := map[*[]byte]bool{&passthrough.Wasm: false}
	guests[&trapping], guests[&exiting] = true, true
	round := func() {
		for wasm, dies := range guests {
			cycle(*wasm, dies)
		}
		for _, wasm := range failing {
			m, err := e.Compile(ctx, wasm, "m")
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
	}
	for range 10 {
		round()
	}
	heap, goroutines := use()
	before := reserved(t)
	for range 50 { // 250 instances of 64 KiB and more
		round()
	}
	heapAfter, _ := use()
	if after := reserved(t); after > before+1<<30 {
		t.Errorf("address space grew from %d to %d bytes", before, after)
	}
	if heapAfter > heap+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", heap, heapAfter)
	}
	settle(t, goroutines)
}
