package guest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestCompile_RefusesWhatIsNoStep(t *testing.T) {
	program := wasmtest.New()
	program.Import("wasmill_v1", "now", "", "l")
	program.Memory(1)
	program.ExportFunc("_start", "", "", "")
	future := wasmtest.New()
	future.ExportFunc("wasmill_abi_2", "", "", "")
	bare := wasmtest.New()
	bare.ExportFunc("wasmill_abi_1", "", "", "")
	bare.ExportFunc("wasmill_init", "i", "i", "", wasmtest.Const(0))
	done := func(wasmtest.Imports) []byte { return wasmtest.Const(0) }
	importing := func(module, name, params, results string) []byte {
		return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { m.Import(module, name, params, results) }, done)
	}
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"nothing", nil, "byte 0: it is too short to be a module"},
		{"text", []byte("(module)"), `it is not WebAssembly`},
		{"cut short", []byte("\x00asm\x01"), "byte 5: it is too short to be a module"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), "byte 4: it is a component, and components are not supported"},
		{"empty module", wasmtest.New().Bytes(), "it does not export the marker wasmill_abi_1; build it with a wasmill SDK"},
		{"program", program.Bytes(), "it imports wasmill_v1.now, but it is a program with _start, without the marker wasmill_abi_1: build it as a library (reactor) with a wasmill SDK"},
		{"later version", future.Bytes(), "it is built for version 2 of wasmill's interface, this build supports 1"},
		{"exports", bare.Bytes(), `it does not export its memory as "memory"; it does not export wasmill_alloc (i32) -> i32; export section, byte 43: its export wasmill_init is (i32) -> i32, not (i32, i32) -> i32; it does not export wasmill_process (i32, i32, i32) -> i32`},
		{"foreign import", importing("env", "f", "", ""), "it imports env.f; only wasmill_v1 and wasi_snapshot_preview1 may be imported from"},
		{"unknown import", importing("wasmill_v1", "f", "", ""), "it imports wasmill_v1.f, which this build does not have"},
		{"import of another type", importing("wasmill_v1", "now", "", "i"), "it imports wasmill_v1.now as () -> i32, but it is () -> i64"},
		{"WASI import of another type", importing("wasi_snapshot_preview1", "fd_write", "i", ""), "it imports wasi_snapshot_preview1.fd_write as (i32) -> (), but it is (i32, i32, i32, i32) -> i32"},
		{"memory above the limit", wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { m.Memory(17) }, done), "its memory begins with 1114112 bytes, the limit is 1048576: raise limits.memory"},
		{"invalid code", wasmtest.Step(func(wasmtest.Imports) []byte { return wasmtest.Drop }), "does not compile: invalid function"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := engine(t, guest.EngineOptions{MemoryLimit: 1 << 20})
			_, err := e.Compile(context.Background(), test.wasm, "./step.wasm")
			if err == nil || !strings.HasPrefix(err.Error(), "guest: module ./step.wasm") || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v", err)
			}
		})
	}
}

// Modules that end the compiler's process or keep it busy for minutes do not
// reach it: nothing is compiled, and they are refused at once.
func TestCompile_HostileModulesDoNotReachTheCompiler(t *testing.T) {
	step := func(code ...[]byte) []byte {
		return wasmtest.Step(func(wasmtest.Imports) []byte { return append(wasmtest.Code(code...), wasmtest.Const(0)...) })
	}
	table := append([]byte{0x0e, 0xc0, 0xb8, 0x02}, make([]byte, 40_001)...) // 40,000 targets
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"a data section of 2^31-1 segments", []byte("\x00asm\x01\x00\x00\x00\x0b\x05\xff\xff\xff\xff\x07"), "data section, byte 10: 2147483647 entries do not fit into the 0 bytes that are left"},
		{"a function section of 2^31-1 functions", []byte("\x00asm\x01\x00\x00\x00\x03\x05\xff\xff\xff\xff\x07"), "function section, byte 10: 2147483647 entries do not fit"},
		{"a br_table of 40,000 targets", step(wasmtest.Block, wasmtest.Const(0), table, wasmtest.End), "40000 targets of a br_table, at most 16384 are allowed"},
		{"20,000 nested blocks", step(bytes.Repeat(wasmtest.Block, 20_000), bytes.Repeat(wasmtest.End, 20_000)), "10001 blocks inside each other, at most 10000 are allowed"},
		{"300,000 blocks side by side", step(bytes.Repeat(wasmtest.Code(wasmtest.Block, wasmtest.End), 300_000)), "its code may take the compiler"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := engine(t, guest.EngineOptions{CacheDir: dir}).Compile(t.Context(), test.wasm, "hostile.wasm")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && d.Name() != "lock" {
					t.Errorf("something was compiled: %s", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCompile_StoppedIsNoFaultOfTheModule(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errors.New("a signal"))
	_, err := engine(t, guest.EngineOptions{}).Compile(ctx, passthrough.Wasm, "p")
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "does not compile") {
		t.Fatalf("error %v", err)
	}
}

func TestEngine_KeepsCompiledModulesOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	open := func() error {
		e, err := guest.NewEngine(context.Background(), guest.EngineOptions{CacheDir: dir})
		if err != nil {
			return err
		}
		m, err := e.Compile(context.Background(), passthrough.Wasm, "p")
		if err != nil {
			return err
		}
		if _, err := m.Instantiate(context.Background(), guest.Init{}, &calls{}); err != nil {
			return err
		}
		return e.Close(context.Background())
	}
	files := func() (names []string) {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.Contains(path, "wazero-") && !strings.HasSuffix(path, ".record") {
				names = append(names, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for range 2 {
		if err := open(); err != nil {
			t.Fatal(err)
		}
		if n := len(files()); n != 1 {
			t.Fatalf("%d files in the cache, want 1", n)
		}
	}
	if err := os.WriteFile(files()[0], []byte("WAZEVO"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open(); err != nil {
		t.Fatalf("a damaged file in the cache: %v", err)
	}
	old := time.Now().Add(-40 * 24 * time.Hour)
	left := filepath.Join(filepath.Dir(files()[0]), "left")
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.Chtimes(left, old, old), open()); err != nil {
		t.Fatal(err)
	}
	if n := len(files()); n != 1 {
		t.Fatalf("%d files in the cache, want 1", n)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode %v, error %v", info.Mode(), err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := open(); err == nil || !strings.Contains(err.Error(), "others may write to") {
		t.Fatalf("a directory that others may write to: %v", err)
	}
}

func TestNewEngine_RefusesImpossibleLimits(t *testing.T) {
	for _, limit := range []uint64{1, 1<<32 + 1} {
		if _, err := guest.NewEngine(context.Background(), guest.EngineOptions{MemoryLimit: limit, NoCache: true}); err == nil {
			t.Errorf("a limit of %d is accepted", limit)
		}
	}
}

// What admission and the rewriter made is used again, unless it is damaged or
// was admitted under another limit.
func TestEngine_KeepsRewrittenModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var log strings.Builder
	run := func(memory uint64, wasm []byte) error {
		e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir, MemoryLimit: memory, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			return err
		}
		defer e.Close(t.Context())
		m, err := e.Compile(t.Context(), wasm, "m")
		if err != nil {
			return err
		}
		c := &calls{}
		in, err := m.Instantiate(t.Context(), guest.Init{}, c)
		if err != nil {
			return err
		}
		if _, err := in.Batch(t.Context(), batch("a", "bad")); !strings.Contains(fmt.Sprint(err), "wasmill_process") {
			return fmt.Errorf("no trap that names its function: %w", err)
		}
		return in.Close(t.Context())
	}
	kept := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, "rewritten", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	wasm := wasmtest.TrapOn("bad") // it has data
	for range 2 {
		if err := run(1<<20, wasm); err != nil {
			t.Fatal(err)
		}
		if n := len(kept()); n != 1 {
			t.Fatalf("%d modules are kept, want 1", n)
		}
	}
	whole, err := os.ReadFile(kept()[0])
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		if at > 300 && at%97 != 0 {
			continue
		}
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		log.Reset()
		if err := errors.Join(os.WriteFile(kept()[0], damaged, 0o600), run(1<<20, wasm)); err != nil {
			t.Fatalf("byte %d is damaged: %v", at, err)
		}
		if !strings.Contains(log.String(), "is made again, because it is damaged") {
			t.Fatalf("byte %d is damaged, and nobody says so: %q", at, log.String())
		}
	}
	if err := errors.Join(os.WriteFile(kept()[0], whole[:40], 0o600), run(1<<20, wasm)); err != nil {
		t.Fatalf("cut short: %v", err)
	}
	large := wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { m.Memory(32) }, func(wasmtest.Imports) []byte {
		return wasmtest.Unreachable
	})
	if err := run(4<<20, large); err != nil {
		t.Fatal(err)
	}
	if err := run(1<<20, large); err == nil || !strings.Contains(err.Error(), "raise limits.memory") {
		t.Fatalf("a module that is kept gets by a lower limit: %v", err)
	}
}

// What is kept of a module under the name of another one is damaged.
func TestCompile_WhatIsKeptOfOneIsNotTakenForAnother(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	says := func(word string) error {
		e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			return err
		}
		defer e.Close(t.Context())
		in, err := instantiate(t, e, wasmtest.TrapOn(word), &calls{})
		if err != nil {
			return err
		}
		if _, err := in.Batch(t.Context(), batch(word)); !strings.Contains(fmt.Sprint(err), "wasmill_process") {
			return fmt.Errorf("no trap for %s: %w", word, err)
		}
		return in.Close(t.Context())
	}
	kept := func() (names []string) {
		names, err := filepath.Glob(filepath.Join(dir, "rewritten", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if err := says("one"); err != nil {
		t.Fatal(err)
	}
	one := kept()[0]
	if err := says("other"); err != nil {
		t.Fatal(err)
	}
	for _, name := range kept() {
		if b, err := os.ReadFile(name); err != nil || name != one && os.WriteFile(one, b, 0o600) != nil {
			t.Fatal(err)
		}
	}
	if err := says("one"); err != nil || !strings.Contains(log.String(), "is made again, because it is damaged") {
		t.Fatalf("%v; it says %q", err, log.String())
	}
}

// A cache that cannot be written to is no fault of the module.
func TestCompile_FaultsOfTheMachine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close(t.Context())
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err = e.Compile(t.Context(), passthrough.Wasm, "m")
	var machine *guest.MachineError
	if !errors.As(err, &machine) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("error %v", err)
	}
	machine = nil
	if _, err = e.Compile(t.Context(), []byte("text"), "m"); err == nil || errors.As(err, &machine) {
		t.Fatalf("error %v", err)
	}
}
