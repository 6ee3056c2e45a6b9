package meter_test

import (
	"errors"
	"testing"

	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmgen"
)

// FuzzRewrite: what Parse accepts is refused with a reason or becomes a module
// that Parse accepts too, that is not much larger, and that has a map.
func FuzzRewrite(f *testing.F) {
	f.Add(shapes)
	f.Add(indirect)
	f.Add(bulkModule(nil))
	for seed := range uint64(8) {
		f.Add(wasmgen.Module(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wasm.Parse(b, wasm.Caps{})
		if err != nil {
			return
		}
		for _, form := range forms {
			for _, keep := range []bool{false, true} {
				o := meter.Options{Form: form, KeepData: keep, Lines: !keep}
				r, err := meter.Rewrite(m, o)
				if err != nil {
					if fault := (*wasm.Error)(nil); !errors.As(err, &fault) {
						t.Fatalf("error of type %T", err)
					}
					continue
				}
				if len(r.Wasm) > 32*len(b)+1024 {
					t.Fatalf("%d bytes became %d", len(b), len(r.Wasm))
				}
				again, err := wasm.Parse(r.Wasm, wasm.Caps{})
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				if len(again.Globals) < len(m.Globals)+2 || again.Start >= 0 {
					t.Fatalf("%s: %d globals, start %d", form, len(again.Globals), again.Start)
				}
				at, err := meter.OffsetMap(m, o)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 64 {
					if to, ok := at.Offset(i); ok && (to < 0 || to > len(b)) {
						t.Fatalf("offset %d maps to %d", i, to)
					}
				}
			}
		}
	})
}
