package meter_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmill/wasmill/host/guest/meter"
)

// goGuest builds testdata/guest.
func goGuest(t testing.TB) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a Go guest")
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-w", "-o", out, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRewrite_AGoGuestComputesTheSame(t *testing.T) {
	b := goGuest(t)
	ctx := t.Context()
	rt := wazero.NewRuntime(ctx)
	defer rt.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	plain, err := rt.InstantiateWithConfig(ctx, b, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := plain.ExportedFunction("run").Call(ctx, 18)
	if err != nil {
		t.Fatal(err)
	}
	if want[0] < 2 {
		t.Fatalf("the guest fails with %d", want[0])
	}
	each(t, func(t *testing.T, o meter.Options) {
		w := start(t, b, o)
		w.want(t, "_initialize", nil)
		for range 2 {
			w.want(t, "run", []uint64{18}, want...)
		}
		if depth := w.global(meter.ExportDepth).Get(); depth != 0 {
			t.Errorf("the depth is %d between calls", depth)
		}
		w.stop(o)
		w.wantEnd(t, errStopped, "run", 18)
	})
}
