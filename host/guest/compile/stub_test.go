package compile_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/compile"
)

// answers is a module whose function f returns a number below 64.
func answers(n byte) []byte {
	return []byte("\x00asm\x01\x00\x00\x00" + "\x01\x05\x01\x60\x00\x01\x7f" + "\x03\x02\x01\x00" + "\x07\x05\x01\x01f\x00\x00" +
		"\x0a\x06\x01\x04\x00\x41" + string([]byte{n}) + "\x0b")
}

// module is what Load is given for wasm.
func module(t *testing.T, wasm []byte) compile.Module {
	t.Helper()
	stub, err := compile.Stub(wasm)
	if err != nil {
		t.Fatal(err)
	}
	return compile.Module{Stub: stub, Whole: func() ([]byte, error) { return wasm, nil }}
}

// asks loads a module into a runtime and returns what its f returns.
func asks(t *testing.T, c *compile.Cache, rt wazero.Runtime, wasm []byte) uint64 {
	t.Helper()
	code, err := c.Load(t.Context(), rt, module(t, wasm))
	if err != nil {
		t.Fatal(err)
	}
	in, err := rt.InstantiateModule(t.Context(), code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	got, err := in.ExportedFunction("f").Call(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got[0]
}

// runtime is one with the cache's configuration.
func runtime(t *testing.T, c *compile.Cache) wazero.Runtime {
	rt := wazero.NewRuntimeWithConfig(t.Context(), c.Runtime())
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rt
}

// What is loaded in the place of modules that differ in one instruction does
// what each of them does, when it was just compiled and when it was kept.
func TestLoad_RunsTheCodeOfTheWhole(t *testing.T) {
	dir := t.TempDir()
	for _, command := range [][]string{nil, {"false"}} {
		c := open(t, compile.Options{Dir: dir, Command: command})
		rt := runtime(t, c)
		for _, n := range []byte{41, 42} {
			if got := asks(t, c, rt, answers(n)); got != uint64(n) {
				t.Errorf("command %q: f returns %d, want %d", command, got, n)
			}
		}
	}
}

// robbed is a runtime before which somebody removes the entry, so many times.
type robbed struct {
	wazero.Runtime
	remove func()
	times  int
}

func (r *robbed) CompileModule(ctx context.Context, wasm []byte) (wazero.CompiledModule, error) {
	if r.times > 0 {
		r.times--
		r.remove()
	}
	return r.Runtime.CompileModule(ctx, wasm)
}

// An entry that is gone between its verification and its use makes wazero
// compile the stub, and keep that. It is not taken for the module.
func TestLoad_AStubIsNeverRun(t *testing.T) {
	for _, times := range []int{1, 2, 9} {
		dir := t.TempDir()
		c := open(t, compile.Options{Dir: dir})
		rt := &robbed{runtime(t, c), func() {
			entry, _ := kept(t, dir)
			if err := os.Remove(entry); err != nil {
				t.Error(err)
			}
		}, times}
		if times == 9 {
			if _, err := c.Load(t.Context(), rt, module(t, answers(1))); err == nil || !strings.Contains(err.Error(), "again and again") {
				t.Errorf("error %v", err)
			}
			continue
		}
		if got := asks(t, c, rt, answers(1)); got != 1 {
			t.Errorf("f returns %d, want 1", got)
		}
		again := open(t, compile.Options{Dir: dir, Command: []string{"false"}})
		if got := asks(t, again, runtime(t, again), answers(1)); got != 1 {
			t.Errorf("what was kept returns %d, want 1", got)
		}
	}
}

// If wazero has compiled a stub and cannot keep it, it has it in its memory. It
// is not found there when the module is asked for again.
func TestLoad_AStubThatCannotBeKeptIsForgotten(t *testing.T) {
	dir := t.TempDir()
	c := open(t, compile.Options{Dir: dir})
	rt := &robbed{runtime(t, c), func() {
		entry, _ := kept(t, dir)
		if err := os.RemoveAll(filepath.Dir(entry)); err != nil {
			t.Error(err)
		}
	}, 1}
	if got := asks(t, c, rt, answers(1)); got != 1 {
		t.Errorf("f returns %d, want 1", got)
	}
}

// mixed is a runtime beside which another process puts the entry of a module
// back, in a file that has the number of the one that was verified, where the
// file system gives numbers again. Meanwhile wazero has compiled the stub.
type mixed struct {
	wazero.Runtime
	t     *testing.T
	dir   string
	times int
}

func (m *mixed) CompileModule(ctx context.Context, wasm []byte) (wazero.CompiledModule, error) {
	if m.times--; m.times < 0 {
		return m.Runtime.CompileModule(ctx, wasm)
	}
	entry, _ := kept(m.t, m.dir)
	good, before, scratch := read(m.t, entry), stat(m.t, entry), m.t.TempDir()
	if err := os.Remove(entry); err != nil {
		m.t.Fatal(err)
	}
	var again string
	for i := range 50 {
		again = filepath.Join(scratch, strconv.Itoa(i))
		if err := os.WriteFile(again, good, 0o600); err != nil {
			m.t.Fatal(err)
		}
		if os.SameFile(before, stat(m.t, again)) {
			break
		}
	}
	code, err := m.Runtime.CompileModule(ctx, wasm)
	return code, errors.Join(err, os.Rename(again, entry))
}

func TestLoad_AFileIsNotTakenForAnotherWithItsNumber(t *testing.T) {
	dir := t.TempDir()
	c := open(t, compile.Options{Dir: dir})
	if got := asks(t, c, &mixed{runtime(t, c), t, dir, 1}, answers(1)); got != 1 {
		t.Errorf("f returns %d, want 1", got)
	}
}

// A record that came under the name of another one leads to an entry that is
// good, while that of the module is missing.
func TestLoad_ARecordIsNotTakenForAnother(t *testing.T) {
	dir := t.TempDir()
	c := open(t, compile.Options{Dir: dir})
	rt := runtime(t, c)
	asks(t, c, rt, answers(1))
	entry, record := kept(t, dir)
	asks(t, c, rt, answers(2))
	for _, name := range files(t, dir) {
		if strings.HasSuffix(name, ".record") && name != record {
			if err := errors.Join(os.WriteFile(record, read(t, name), 0o600), os.Remove(entry)); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := open(t, compile.Options{Dir: dir})
	if got := asks(t, again, runtime(t, again), answers(1)); got != 1 {
		t.Errorf("f returns %d, want 1", got)
	}
}

// Who waits for another's load of the module waits no longer than its context.
func TestLoad_WaitingEndsWithItsContext(t *testing.T) {
	c := open(t, compile.Options{Temporary: true})
	m := module(t, answers(1))
	ctx, cancel := context.WithCancel(t.Context())
	m.Whole = func() ([]byte, error) {
		cancel()
		if _, err := c.Load(ctx, runtime(t, c), module(t, answers(2))); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		return answers(1), nil
	}
	if _, err := c.Load(t.Context(), runtime(t, c), m); err != nil {
		t.Error(err)
	}
}

func TestLoad_AskingForTheWholeFails(t *testing.T) {
	c := open(t, compile.Options{Temporary: true})
	m, gone := module(t, answers(1)), errors.New("it is gone")
	m.Whole = func() ([]byte, error) { return nil, gone }
	if _, err := c.Load(t.Context(), runtime(t, c), m); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	m.Whole = func() ([]byte, error) { return answers(2), nil }
	if _, err := c.Load(t.Context(), runtime(t, c), m); err == nil || !strings.Contains(err.Error(), "not that of its stub") {
		t.Errorf("another module: error %v", err)
	}
}

func TestStub_RefusesWhatIsNoModule(t *testing.T) {
	whole := answers(1)
	for n := range whole {
		stub, err := compile.Stub(whole[:n])
		ends := n == 8 || n == 15 || n == 19 || n == 26 // a section does
		if (err == nil) != ends {
			t.Errorf("the first %d bytes: %x, %v", n, stub, err)
		}
	}
	for _, code := range []string{"\x0a\x00", "\x0a\x01\xff", "\x0a\x05\xff\xff\xff\xff\x0f"} {
		if stub, err := compile.Stub(append(bytes.Clone(whole[:26]), code...)); err == nil {
			t.Errorf("code section %x: %x", code, stub)
		}
	}
}
