package wasi_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

// runGo runs the program in testdata/goguest, built as a reactor by the
// toolchain that runs the test, and returns what it wrote.
func runGo(t *testing.T, code []byte, cache wazero.CompilationCache, c wasi.Config) (out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	ctx := withState(t.Context(), newGuest(t, c).s)
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	defer r.Close(ctx)
	if err := linkOurs(ctx, r); err != nil {
		t.Fatal(err)
	}
	mod, err := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	got, err := mod.ExportedFunction("run").Call(ctx)
	if err != nil || got[0] != 0 {
		t.Fatalf("%v, %v: %s%s", got, err, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

func TestGoGuest_FindsWhatItAsksFor(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and compiles a Go program")
	}
	out := filepath.Join(t.TempDir(), "goguest.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-o", out, ".")
	build.Dir = filepath.Join("testdata", "goguest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	code, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	cache := wazero.NewCompilationCache()
	defer cache.Close(context.Background())
	config := func() wasi.Config {
		now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixNano()
		return wasi.Config{
			Args: []string{"goguest", "-x"}, Env: []string{"A=b"}, Files: tree(),
			Stdin: strings.NewReader("a line\nanother"), Random: rand.NewChaCha8([32]byte{1}),
			Wall: func() (int64, bool) { now += wasi.Tick; return now, true },
		}
	}
	stdout, stderr := runGo(t, code, cache, config())
	if stdout != goWant || len(stderr) != 17 {
		t.Errorf("it wrote %q to stderr and\n%s\nwant\n%s", stderr, stdout, goWant)
	}
	if again, random := runGo(t, code, cache, config()); again != stdout || random != stderr {
		t.Errorf("a second run wrote\n%s%s\nthe first\n%s%s", again, random, stdout, stderr)
	}
}

const goWant = `args [goguest -x] A = b
time 2026-03-04T05:06:07Z
slept 1h30m0s
timer
random true
stdin "a line\n"
entry - hello.txt
entry d lib/
entry - old.txt
entry L out
entry - pipe
walk .
walk a.py
walk b.py
walk deep
walk deep/c
walk inner.py
file "a = 1\n"
tail world 12 2001-09-09
error open /new: Read-only file system
error remove /hello.txt: Read-only file system
error mkdir /d: Read-only file system
error rename /a /b: Read-only file system
error open /out: Too many symbolic links
error open /out/passwd: Too many symbolic links
error open /../../etc/passwd: No such file or directory
error open /proc/self/environ: No such file or directory
error open /missing: No such file or directory
`
