package corpus_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// start compiles a guest as it is and starts it.
func start(t *testing.T, g corpus.Guest) *corpus.Instance {
	t.Helper()
	if g.Large && testing.Short() {
		t.Skip("compiles for seconds")
	}
	r := corpus.Runtime(t, wazero.NewRuntimeConfig())
	compiled, err := r.CompileModule(t.Context(), g.Wasm(t))
	if err != nil {
		t.Fatal(err)
	}
	in, err := g.Start(t.Context(), corpus.Plain(r, compiled))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// computes holds that an instance's results are Go's.
func computes(t *testing.T, in *corpus.Instance) {
	t.Helper()
	for _, w := range corpus.Workloads {
		for _, n := range []int{0, 1, 7, 20} {
			got, err := in.Run(t.Context(), w, n)
			if err != nil {
				t.Fatalf("%s, %d rounds: %v", w, n, err)
			}
			if want := corpus.Want(w, n); got != want {
				t.Errorf("%s, %d rounds: %#x, want %#x", w, n, got, want)
			}
		}
	}
	if err := in.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestGuest_ComputesWhatGoDoes(t *testing.T) {
	for _, g := range corpus.All() {
		t.Run(g.Name, func(t *testing.T) { computes(t, start(t, g)) })
	}
}

func TestGuest_ComputesTheSameRewritten(t *testing.T) {
	for _, g := range corpus.All() {
		for _, form := range []meter.Form{meter.Fast, meter.Patient, meter.Counted} {
			t.Run(g.Name+"/"+form.String(), func(t *testing.T) { computes(t, metered(t, g, form)) })
		}
	}
}

// metered starts a guest in a form.
func metered(t *testing.T, g corpus.Guest, form meter.Form) *corpus.Instance {
	t.Helper()
	if g.Large && testing.Short() {
		t.Skip("compiles for seconds")
	}
	m, err := wasm.Parse(g.Wasm(t), wasm.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := meter.Rewrite(m, meter.Options{Form: form})
	if err != nil {
		t.Fatal(err)
	}
	r := corpus.Runtime(t, wazero.NewRuntimeConfig())
	compiled, err := r.CompileModule(t.Context(), res.Wasm)
	if err != nil {
		t.Fatal(err)
	}
	in, err := g.Start(t.Context(), corpus.Metered(r, compiled, res))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestMetered_AStopEndsTheCall(t *testing.T) {
	for _, form := range []meter.Form{meter.Fast, meter.Patient} {
		in := metered(t, corpus.Get(t, "c"), form)
		in.Module().ExportedGlobal(meter.ExportFlag).(api.MutableGlobal).Set(1)
		if _, err := in.Run(t.Context(), corpus.Hash, 10); !errors.Is(err, corpus.ErrStopped) {
			t.Errorf("%s: error %v, want %v", form, err, corpus.ErrStopped)
		}
	}
}

func TestGuest_StepsHandleBatches(t *testing.T) {
	values := [][]byte{corpus.Record(0), []byte("not JSON"), corpus.Record(8_999_999), {}, bytes.Repeat(corpus.Record(3), 300)}
	for i := range 300 { // more than the buffers hold at first
		values = append(values, corpus.Record(i))
	}
	for _, g := range corpus.All() {
		if !g.Step {
			continue
		}
		for _, w := range corpus.Workloads {
			t.Run(g.Name+"/"+string(w), func(t *testing.T) {
				in := start(t, g)
				if err := in.Init(t.Context(), w); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					got, err := in.Batch(t.Context(), values)
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range values {
						want, ok := corpus.Result(w, v)
						if got[i].Rejected == ok || ok && !bytes.Equal(got[i].Value, want) {
							t.Errorf("record %d, %.20q: %+v %q, want %q", i, v, got[i], got[i].Value, want)
						}
					}
				}
				if err := in.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestRecord_HasTheLengthThatIsMeasured(t *testing.T) {
	for _, i := range []int{0, 1, 8_999_999, 9_000_000} {
		out, ok := corpus.Result(corpus.JSON, corpus.Record(i))
		if len(corpus.Record(i)) != 120 || !ok || len(out) != 66 {
			t.Errorf("record %d: %d bytes become %d, want 120 and 66", i, len(corpus.Record(i)), len(out))
		}
	}
}

func TestInstance_AnInterpreterThatFailsSaysWhy(t *testing.T) {
	in := start(t, corpus.Get(t, "quickjs"))
	_, err := in.Run(t.Context(), "none", 1)
	if err == nil || !strings.Contains(err.Error(), "not a function") {
		t.Fatalf("error %v, want that of the script", err)
	}
	if err := in.Close(t.Context()); err == nil {
		t.Error("closed as if nothing had failed")
	}
}

func TestModules_AreAllThere(t *testing.T) {
	for _, m := range corpus.Modules() {
		if wasm := m.Wasm(t); !bytes.HasPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00")) {
			t.Errorf("%s begins with %x", m.Name, wasm[:min(8, len(wasm))])
		}
	}
}
