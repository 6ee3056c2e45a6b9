package wasmgen_test

import (
	"bytes"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmgen"
)

// The interpreter validates as the compiler does and is quicker at it.
func TestModule_IsValid(t *testing.T) {
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 300
	}
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(t.Context())
	for seed := range seeds {
		b := wasmgen.Module(seed)
		m, err := r.CompileModule(t.Context(), b)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		m.Close(t.Context())
		if _, err := wasm.Parse(b, wasm.Caps{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestModule_IsOfItsSeedAlone(t *testing.T) {
	if !bytes.Equal(wasmgen.Module(7), wasmgen.Module(7)) {
		t.Error("seed 7 gave two modules")
	}
	if bytes.Equal(wasmgen.Module(7), wasmgen.Module(8)) {
		t.Error("seeds 7 and 8 gave one module")
	}
}

func TestModule_HasEveryInstruction(t *testing.T) {
	seen := map[wasm.Op]int{}
	for seed := range uint64(200) {
		m, err := wasm.Parse(wasmgen.Module(seed), wasm.Caps{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range m.Bodies {
			var in wasm.Instr
			for c := m.Code(&m.Bodies[i]); c.Next(&in); {
				seen[in.Op]++
			}
		}
	}
	for _, o := range wasm.Ops() {
		if seen[o] == 0 {
			t.Errorf("instruction %#x is never generated", uint32(o))
		}
	}
}
