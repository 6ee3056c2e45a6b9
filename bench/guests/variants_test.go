package guests_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// variant is one way to run a module.
type variant struct {
	name    string
	config  func() wazero.RuntimeConfig
	rewrite *meter.Options // nil = the module as it is
}

// variants begin with the one that the others are compared with. The last is
// wazero's own way to cancel a call.
var variants = []variant{
	{"none", wazero.NewRuntimeConfig, nil},
	{"fast", wazero.NewRuntimeConfig, &meter.Options{Form: meter.Fast}},
	{"patient", wazero.NewRuntimeConfig, &meter.Options{Form: meter.Patient}},
	{"counted", wazero.NewRuntimeConfig, &meter.Options{Form: meter.Counted}},
	{"cancel", func() wazero.RuntimeConfig { return wazero.NewRuntimeConfig().WithCloseOnContextDone(true) }, nil},
}

// startAll starts a guest in every variant, in several runtimes each. The
// runtimes take turns, so that the variants' code lies mixed.
func startAll(b *testing.B, g corpus.Guest) [][]*corpus.Instance {
	all := make([][]*corpus.Instance, len(variants))
	for range runtimes {
		for i := range variants {
			all[i] = append(all[i], variants[i].start(b, g))
		}
	}
	return all
}

// start starts a guest in a runtime of its own. Both end with the benchmark.
func (v *variant) start(b *testing.B, g corpus.Guest) *corpus.Instance {
	res := &meter.Result{Wasm: g.Wasm(b)}
	if v.rewrite != nil {
		m, err := wasm.Parse(res.Wasm, wasm.Caps{})
		if err != nil {
			b.Fatal(err)
		}
		if res, err = meter.Rewrite(m, *v.rewrite); err != nil {
			b.Fatal(err)
		}
	}
	r := corpus.Runtime(b, v.config())
	ctx := context.WithoutCancel(b.Context()) // an interpreter runs until it is closed
	compiled, err := r.CompileModule(ctx, res.Wasm)
	if err != nil {
		b.Fatal(err)
	}
	instantiate := corpus.Plain(r, compiled)
	if v.rewrite != nil {
		instantiate = corpus.Metered(r, compiled, res)
	}
	in, err := g.Start(ctx, instantiate)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := in.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	return in
}
