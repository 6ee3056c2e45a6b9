package wasi_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmill/wasmill/host/guest/wasi"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// forwarder is a module that exports every function of WASI, in one that
// calls it.
func forwarder() []byte {
	m := wasmtest.New()
	m.Memory(1)
	letters := func(types []api.ValueType) string {
		return strings.NewReplacer("\x7f", "i", "\x7e", "l").Replace(string(types))
	}
	var imports []uint32
	for _, f := range wasi.Funcs {
		imports = append(imports, m.Import(wasi.Module, f.Name, letters(f.Params), letters(f.Results)))
	}
	for i, f := range wasi.Funcs {
		var code [][]byte
		for p := range f.Params {
			code = append(code, wasmtest.Get(byte(p)))
		}
		m.ExportFunc(f.Name, letters(f.Params), letters(f.Results), "", append(code, wasmtest.Call(imports[i]))...)
	}
	return m.Bytes()
}

type stateKey struct{}

func stateOf(ctx context.Context) *wasi.State {
	s, _ := ctx.Value(stateKey{}).(*wasi.State)
	return s
}

func withState(ctx context.Context, s *wasi.State) context.Context {
	return context.WithValue(ctx, stateKey{}, s)
}

// runtime returns a runtime with what link gives it.
func runtime(t testing.TB, link func(context.Context, wazero.Runtime) error) wazero.Runtime {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := link(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func linkOurs(ctx context.Context, r wazero.Runtime) error { return wasi.Link(ctx, r, stateOf, nil) }

func TestLink_ServesTheStateOfTheCaller(t *testing.T) {
	r := runtime(t, linkOurs)
	mod, err := r.Instantiate(t.Context(), forwarder())
	if err != nil {
		t.Fatal(err)
	}
	mod.Memory().WriteUint32Le(0, 100)
	mod.Memory().WriteUint32Le(4, 5)
	mod.Memory().WriteString(100, "hello")
	var a, b bytes.Buffer
	for _, out := range []*bytes.Buffer{&a, &b, &a} {
		ctx := withState(t.Context(), newGuest(t, wasi.Config{Stdout: out}).s)
		if got, err := mod.ExportedFunction("fd_write").Call(ctx, 1, 0, 1, 8); err != nil || got[0] != 0 {
			t.Fatal(got, err)
		}
	}
	if a.String() != "hellohello" || b.String() != "hello" {
		t.Errorf("%q and %q", a.String(), b.String())
	}
	for _, f := range wasi.Funcs {
		if len(f.Results) == 0 {
			continue
		}
		got, err := mod.ExportedFunction(f.Name).Call(t.Context(), make([]uint64, len(f.Params))...)
		if err != nil || wasi.Errno(got[0]) != wasi.ENOSYS {
			t.Errorf("%s without a state: %v, %v", f.Name, got, err)
		}
	}
	_, err = mod.ExportedFunction("proc_exit").Call(t.Context(), 7)
	var exit *sys.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("proc_exit: %v", err)
	}
	if mod.IsClosed() {
		t.Error("proc_exit closed the module, which its owner does")
	}
}

// panics is a writer with a bug.
type panics struct{}

func (panics) Write([]byte) (int, error) { panic("a bug") }

func TestLink_GuardSeesPanics(t *testing.T) {
	var caught []string
	r := runtime(t, func(ctx context.Context, r wazero.Runtime) error {
		return wasi.Link(ctx, r, stateOf, func(_ context.Context, function string) {
			if p := recover(); p != nil {
				caught = append(caught, function)
				panic(errors.New("replaced"))
			}
		})
	})
	mod, err := r.Instantiate(t.Context(), forwarder())
	if err != nil {
		t.Fatal(err)
	}
	mod.Memory().WriteUint32Le(4, 5)
	ctx := withState(t.Context(), newGuest(t, wasi.Config{Stdout: panics{}}).s)
	if _, err := mod.ExportedFunction("fd_write").Call(ctx, 1, 0, 1, 8); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("%v", err)
	}
	if _, err := mod.ExportedFunction("proc_exit").Call(ctx, 0); err == nil {
		t.Error("proc_exit returned")
	}
	if len(caught) != 1 || caught[0] != "fd_write" {
		t.Errorf("the guard saw %q", caught)
	}
}
