package wasm_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/wasmgen"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// engine tells whether wazero takes a module.
func engine(t testing.TB) func(ctx context.Context, b []byte) bool {
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return func(ctx context.Context, b []byte) (taken bool) {
		defer func() {
			if recover() != nil { // wazero panics on some
				taken = false
			}
		}()
		c, err := r.CompileModule(ctx, b)
		if err != nil {
			return false
		}
		_ = c.Close(ctx)
		return true
	}
}

// harmless tells whether wazero can be shown a module that was refused with
// err: what a module claims without bytes behind it, wazero allocates.
func harmless(err error) bool {
	return !strings.Contains(err.Error(), "do not fit into") && !strings.Contains(err.Error(), "locals")
}

// tolerated are faults that wazero overlooks and the specification does not.
var tolerated = []string{
	"a number does not fit into", // of the last byte of a signed number wazero does not look at every bit
	"instruction 0xfd 0x",        // of a vector instruction's number wazero looks at the lowest byte
	"instruction 0xfc 0x",
	"is unknown",           // of instructions it overlooks some, among them 0xd8
	"global section, byte", // the types of globals wazero does not check
	"value type 0x69",      // the type of exceptions it takes in signatures without the feature
	"flags 0x",             // of the flags of limits and memory accesses it overlooks some
}

func known(err error) bool {
	for _, text := range tolerated {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// What the engine takes of the specification's own suite is taken here.
func TestParse_TakesWhatTheEngineTakes(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatalf("the suite is read from the module cache: go mod download github.com/tetratelabs/wazero: %v", err)
	}
	takes, taken, refused := engine(t), 0, 0
	for _, version := range []string{"v1", "v2"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "internal/integration_test/spectest", version, "testdata/*.wasm"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			err = fault(b)
			switch {
			case err == nil:
				taken++
			case harmless(err) && !known(err) && takes(t.Context(), b):
				t.Errorf("%s/%s: %v", version, filepath.Base(f), err)
			default:
				refused++
			}
		}
	}
	if taken < 3000 || refused < 300 {
		t.Errorf("%d modules were taken and %d refused: the suite is not there", taken, refused)
	}
	t.Logf("%d modules were taken, %d refused by both", taken, refused)
}

// Modules that were damaged a little are refused by the engine if they are
// refused here. They are the same in every run, for what the engine overlooks
// has no end, and some of what is refused here ends its process.
func TestParse_TakesDamagedModulesThatTheEngineTakes(t *testing.T) {
	const seed = 20
	r := rand.New(rand.NewPCG(seed, 0))
	takes, taken := engine(t), 0
	for i := range uint64(500) {
		b := damaged(r, wasmgen.Module(seed+i%20))
		err := fault(b)
		if err == nil {
			taken++
		} else if harmless(err) && !known(err) && takes(t.Context(), b) {
			t.Fatalf("seed %d, module %d: %v", seed, i, err)
		}
	}
	if taken < 15 {
		t.Errorf("seed %d: only %d modules were taken", seed, taken)
	}
}

// damaged changes, removes or doubles a few bytes of b.
func damaged(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		at := len(head) + r.IntN(len(b)-len(head))
		switch r.IntN(4) {
		case 0:
			b = append(b[:at], b[at+1:]...)
		case 1:
			b = append(b[:at+1], b[at:]...)
		case 2:
			b[at] ^= 1 << r.IntN(8)
		default:
			b[at] = byte(r.Uint32())
		}
	}
	return b
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add(wasmtest.PassThrough())
	f.Add(wasmgen.Module(1))
	f.Add([]byte(head + "\x0b\x05\xff\xff\xff\xff\x07"))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := allocated()
		m, err := wasm.Parse(b, wasm.Caps{})
		if n := allocated() - before; n > 1<<16+200*uint64(len(b)) {
			t.Fatalf("%d bytes were allocated for a module of %d", n, len(b))
		}
		again, err2 := wasm.Parse(b, wasm.Caps{})
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("first %v, then %v", err, err2)
		}
		if err == nil && len(m.Bodies) != len(again.Bodies) {
			t.Fatal("two modules from the same bytes")
		}
	})
}

func allocated() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}
