package guest_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// parksPython is as small as a guest in Python can be: it emits each frame of
// records as it came, and does what the first value says.
const parksPython = `
import os, struct, sys, time

print("starting", file=sys.stderr)
SEEN = [sys.argv[1], open("/app/data.txt").read(), os.environ["NAME"]]

def read(n):
    b = b""
    while len(b) < n:
        more = os.read(0, n - len(b))
        if not more:
            raise SystemExit(0)
        b += more
    return b

def receive():
    head = read(32)
    size, length = struct.unpack_from("<I4xI", head, 12)
    return struct.unpack_from("<I", head, 8)[0], read(size - 32)[:length]

def send(kind, count, number, content=b""):
    pad = -len(content) % 8
    os.write(1, struct.pack("<IHHIIiIQ", 0x314C4D57, 1, kind, count, 32 + len(content) + pad, number, len(content), 0) + content + bytes(pad))

def ask(function, content):
    send(0x102, function, 0, content)
    receive()

def serve():
    op, content = receive()
    if op in (0, 4):
        SEEN.append((op, len(content) > 32))
    if op == 0 and b"slow" in content:
        sum(i for i in range(500000))
    if op == 1:
        if b"seen" in content:
            ask(12, struct.pack("<qII", 1, 0, 0)[:8] + struct.pack("<II", len(repr(SEEN)), 0) + repr(SEEN).encode())
        if b"raise" in content:
            raise ValueError("raised")
        if b"forget" in content:
            return
        if b"print" in content:
            print("hello", flush=True)
        if b"recurse" in content:
            def f(n): return f(n + 1)
            try:
                f(0)
            except RecursionError:
                pass
        ask(1, struct.pack("<II", len(content), 0) + content)
    send(0x101, op, 0 if op < 4 else -38)

os.write(1, struct.pack("<IHHIIiIQ", 0x314C4D57, 1, 0x104, 0, 48, 0, 12, 0) + struct.pack("<III", id(serve), 0, 0) + bytes(4))
time.time_ns()
`

func parked(t *testing.T, o guest.EngineOptions) (*guest.Engine, []byte) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiling CPython takes long under the race detector")
	}
	var b bytes.Buffer
	err := archive.Write(&b, archive.Step{
		Language: "python", Carrier: archive.Frames,
		Interpreter: archive.Interpreter{Name: "cpython", Version: "3.12.0", Digest: guest.Digest(corpus.Python(t))},
		Args:        []string{"python", "-I", "-c", parksPython, "argument"},
		Env:         map[string]string{"NAME": "value"},
	}, []archive.File{{Name: "data.txt", Data: []byte("data")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Interpreter = func(context.Context, archive.Interpreter) ([]byte, error) { return corpus.Python(t), nil }
	e, err := guest.NewEngine(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e, b.Bytes()
}

func TestParked_PythonIsCalledLikeAnyGuest(t *testing.T) {
	ctx := context.Background()
	e, wasm := parked(t, guest.EngineOptions{})
	m, err := e.Compile(ctx, wasm, "m")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(ctx)
	if m.Digest() != guest.Digest(wasm) {
		t.Errorf("digest %s", m.Digest())
	}
	c := &calls{}
	start := func() guest.Instance {
		t.Helper()
		in, err := m.Instantiate(ctx, guest.Init{Run: guest.Run{Patient: true}}, c)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	if err := start().Close(ctx); err != nil { // from now on there is an image
		t.Fatal(err)
	}
	c.lines = nil
	in, err := m.Instantiate(ctx, guest.Init{Task: 3, Config: "another", Run: guest.Run{Patient: true}}, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.lines) > 0 {
		t.Errorf("with an image at hand the interpreter started: %q", c.lines)
	}
	for range 100 {
		run(t, in, batch("a"))
	}
	if len(c.records) != 100 || c.records[99].value != "a" {
		t.Errorf("%d records, the last %v", len(c.records), c.records[len(c.records)-1])
	}
	run(t, in, batch("recurse"))
	run(t, in, batch("seen"))
	if want := "['argument', 'data', 'value', (4, False), (0, True)]"; len(c.lines) != 1 || !strings.Contains(c.lines[0], want) {
		t.Errorf("logged %q, want %q", c.lines, want)
	}
	for _, test := range []struct{ value, want string }{
		{"raise", "what it parked let an exception out"},
		{"forget", "came back from batch without having answered"},
		{"print", `it wrote "hello " to standard output`},
	} {
		dead := start()
		_, err := dead.Batch(ctx, batch(test.value))
		var trap *guest.Trap
		if !errors.As(err, &trap) || trap.Kind != guest.TrapABI || !strings.Contains(trap.Message, test.want) {
			t.Errorf("%s: error %v, want %q", test.value, err, test.want)
		}
		if err := dead.Close(ctx); err != nil {
			t.Error(err)
		}
	}
	if status, err := in.Batch(ctx, batch("b")); status != abi.OK || err != nil {
		t.Errorf("beside them: %v %v", status, err)
	}
	if err := in.Close(ctx); err != nil {
		t.Error(err)
	}
}

// An init that takes longer than a call may is done again, patiently.
func TestParked_ASlowInitIsGivenTime(t *testing.T) {
	ctx := context.Background()
	tenant := guest.NewTenant(guest.TenantOptions{Name: "t"})
	t.Cleanup(tenant.Close)
	e, wasm := parked(t, guest.EngineOptions{Tenant: tenant})
	m, err := e.Compile(ctx, wasm, "m")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(ctx)
	c := &calls{}
	in, err := m.Instantiate(ctx, guest.Init{Config: "slow"}, c)
	if err != nil {
		t.Fatal(err)
	}
	run(t, in, batch("a"))
	if len(c.records) != 1 {
		t.Errorf("emitted %v", c.records)
	}
	if err := in.Close(ctx); err != nil {
		t.Error(err)
	}
	if left := tenant.MemoryBytes(); left != 0 {
		t.Errorf("%d bytes are still the tenant's", left)
	}
}

// Where a guest trapped is known without its interpreter, which might have to be
// fetched first, once for each trap.
func TestTrap_TheInterpreterIsNotAskedFor(t *testing.T) {
	code := wasmtest.Step(func(wasmtest.Imports) []byte { return wasmtest.Unreachable })
	var app bytes.Buffer
	step := archive.Step{Language: "none", Carrier: archive.ABI, Interpreter: archive.Interpreter{Name: "none", Version: "1", Digest: guest.Digest(code)}}
	if err := archive.Write(&app, step, nil, nil); err != nil {
		t.Fatal(err)
	}
	dir, asked := t.TempDir(), 0
	for range 2 {
		e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir, Interpreter: func(context.Context, archive.Interpreter) ([]byte, error) {
			asked++
			return code, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close(context.Background()) })
		in, err := instantiate(t, e, app.Bytes(), &calls{})
		if err != nil {
			t.Fatal(err)
		}
		if trap := trap(t, in, batch("a")); trap.Function != "wasmill_process" {
			t.Errorf("it trapped in %q", trap.Function)
		}
	}
	if asked != 1 {
		t.Errorf("the interpreter was asked for %d times, want once", asked)
	}
}

// Whether the interpreter is wanted for the rewriter, the compiler or the data
// of an instance: that it could not be had is what is said of it.
func TestCompile_AnInterpreterThatIsGone(t *testing.T) {
	code := wasmtest.TrapOn("bad")
	var app bytes.Buffer
	step := archive.Step{Language: "none", Carrier: archive.ABI, Interpreter: archive.Interpreter{Name: "none", Version: "1", Digest: guest.Digest(code)}}
	if err := archive.Write(&app, step, nil, nil); err != nil {
		t.Fatal(err)
	}
	dir, gone := t.TempDir(), errors.New("it is gone")
	start := func(find func(context.Context, archive.Interpreter) ([]byte, error)) error {
		e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir, Interpreter: find})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close(context.Background()) })
		m, err := e.Compile(t.Context(), app.Bytes(), t.Name())
		if err != nil {
			return err
		}
		in, err := m.Instantiate(t.Context(), guest.Init{}, &calls{})
		if err != nil {
			return err
		}
		return in.Close(t.Context())
	}
	found := func(context.Context, archive.Interpreter) ([]byte, error) { return code, nil }
	missing := func(context.Context, archive.Interpreter) ([]byte, error) { return nil, gone }
	for _, removed := range []string{"rewritten", "wazero-*", "images"} {
		if err := start(found); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(dir, removed))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		var interpreter *guest.InterpreterError
		var machine *guest.MachineError
		if err := start(missing); !errors.As(err, &interpreter) || !errors.Is(err, gone) || errors.As(err, &machine) {
			t.Errorf("without %s: error %v", removed, err)
		}
	}
}
