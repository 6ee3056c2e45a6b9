package meter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

var forms = []meter.Form{meter.Fast, meter.Patient, meter.Counted}

// parse parses a module that must be well formed.
func parse(t testing.TB, b []byte) *wasm.Module {
	t.Helper()
	m, err := wasm.Parse(b, wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rewrite rewrites a module that must be fit for it.
func rewrite(t testing.TB, b []byte, o meter.Options) *meter.Result {
	t.Helper()
	r, err := meter.Rewrite(parse(t, b), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Why a tick ended a guest.
var (
	errStopped  = errors.New("stopped")
	errOverflow = errors.New("overflow")
)

// world is an instance of a rewritten module with a tick of the test's own.
type world struct {
	api.Module
	result *meter.Result
	budget uint32
	ticks  int
	// onTick is called by a tick that is no overflow; nil = errStopped.
	onTick func() error
}

// start rewrites b, instantiates it and applies its data.
func start(t testing.TB, b []byte, o meter.Options) *world {
	t.Helper()
	w := &world{result: rewrite(t, b, o), budget: 1 << 20}
	if o.Stack > 0 {
		w.budget = o.Stack
	}
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig())
	t.Cleanup(func() { _ = rt.Close(ctx) })
	_, err := rt.NewHostModuleBuilder(meter.ImportModule).NewFunctionBuilder().WithFunc(w.tick).Export(meter.ImportTick).Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		t.Fatal(err)
	}
	w.Module, err = rt.InstantiateWithConfig(ctx, w.result.Wasm, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		t.Fatalf("%s: %v", o.Form, err)
	}
	for _, d := range w.result.Data {
		if !w.Memory().Write(d.At, d.Bytes) {
			t.Fatalf("segment at %d does not fit", d.At)
		}
	}
	w.refuel(o, 1<<40)
	return w
}

func (w *world) tick(depth uint32) {
	if w.ticks++; depth > w.budget {
		panic(errOverflow)
	}
	if w.onTick == nil {
		panic(errStopped)
	}
	if err := w.onTick(); err != nil {
		panic(err)
	}
}

func (w *world) global(name string) api.MutableGlobal {
	return w.ExportedGlobal(name).(api.MutableGlobal)
}

// refuel gives a counted guest that much.
func (w *world) refuel(o meter.Options, n int64) {
	if o.Form == meter.Counted {
		w.global(meter.ExportFuel).Set(uint64(n))
	}
}

// used returns how much of n was used.
func (w *world) used(n int64) int64 { return n - int64(w.global(meter.ExportFuel).Get()) }

// stop asks for a stop in the form's own way.
func (w *world) stop(o meter.Options) {
	w.global(meter.ExportFlag).Set(1)
	w.refuel(o, 100_000)
}

func (w *world) call(name string, params ...uint64) ([]uint64, error) {
	return w.ExportedFunction(name).Call(context.Background(), params...)
}

// want calls a function and compares its results.
func (w *world) want(t testing.TB, name string, params []uint64, results ...uint64) {
	t.Helper()
	got, err := w.call(name, params...)
	if err != nil {
		t.Errorf("%s(%d): %v", name, params, err)
		return
	}
	if len(got) != len(results) {
		t.Errorf("%s(%d) = %d, want %d", name, params, got, results)
		return
	}
	for i := range got {
		if got[i] != results[i] {
			t.Errorf("%s(%d) = %d, want %d", name, params, got, results)
			return
		}
	}
}

// wantEnd calls a function that must end by a tick.
func (w *world) wantEnd(t testing.TB, end error, name string, params ...uint64) {
	t.Helper()
	if _, err := w.call(name, params...); !errors.Is(err, end) {
		t.Errorf("%s(%d): %v, want %v", name, params, err, end)
	}
}

// wantTrap calls a function that must trap for that reason.
func (w *world) wantTrap(t testing.TB, reason, name string, params ...uint64) {
	t.Helper()
	if _, err := w.call(name, params...); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s(%d): %v, want %s", name, params, err, reason)
	}
}

// each runs a test in every form.
func each(t *testing.T, f func(t *testing.T, o meter.Options)) {
	for _, form := range forms {
		t.Run(form.String(), func(t *testing.T) { f(t, meter.Options{Form: form}) })
	}
}
