package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/build/buildtest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// result is what a run of the binary came to.
type result struct {
	code           int
	stdout, stderr string
}

// has fails the test unless the result has the code and the texts on
// standard error.
func (r result) has(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; standard error:\n%s", r.code, code, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stderr, text) {
			t.Errorf("standard error lacks %q:\n%s", text, r.stderr)
		}
	}
}

// caches are shared by the tests of this process: modules are compiled once.
// TestMain makes and removes the directory.
var caches = sync.OnceValues(func() ([]string, error) {
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	return []string{"XDG_CACHE_HOME=" + os.Getenv("WASMILL_TEST_CACHE"), "GOCACHE=" + strings.TrimSpace(string(gocache))}, nil
})

// toolchains returns the variables, name and value each, that show the binary
// the compilers of the guests. Where they are not installed it takes what is in
// PATH.
var toolchains = sync.OnceValue(func() [][2]string {
	env, err := buildtest.Env()
	if err != nil {
		fmt.Fprintln(os.Stderr, "steps are built with what is in PATH:", err)
	}
	return env
})

// command returns the binary with arguments, to be run in dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env, err := caches()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // only for what hangs: a busy machine builds for minutes
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WASMILL_TEST_BE_WASMILL=1")
	cmd.Env = append(cmd.Env, env...)
	for _, v := range toolchains() {
		cmd.Env = append(cmd.Env, v[0]+"="+v[1])
	}
	return cmd
}

// wasmill runs the binary in dir to its end.
func wasmill(t *testing.T, dir string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := command(t, dir, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return result{codeOf(t, err), stdout.String(), stderr.String()}
}

// codeOf returns the exit code of a process that ended by itself.
func codeOf(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// progressLines are said by runs that take longer than a second.
var progressLines = regexp.MustCompile(`(?m)^\S+  .* unsealed, .*\n`)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// copyJob is a job without modules: lines of in/ to files in out/.
const copyJob = `job: copy
sources:
  in:
    walk: {root: ./in}
sinks:
  out:
    from: in
    file: {path: ./out, format: lines}
`

// printJob is a job that prints the lines of in/.
const printJob = `job: print
sources:
  in:
    walk: {root: ./in}
sinks:
  out:
    from: in
    stdout: {}
`

// guestJob runs guest.wasm over the lines of in/, a record a call.
const guestJob = `job: guest
sources:
  in:
    walk: {root: ./in, split: 1KiB}
    tasks: 2
steps:
  guard:
    from: in
    wasm: ./guest.wasm
sinks:
  out:
    from: guard
    file: {path: ./out, format: lines}
epoch: 20ms
limits: {record: 10m, batch: {records: 1}}
`

// newJob makes a directory with job.yaml and in/lines.txt.
func newJob(t *testing.T, job, lines string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "job.yaml", job)
	write(t, dir, "in/lines.txt", lines)
	return dir
}

// newSlowJob makes a job whose guest says "slow record" and takes about a
// millisecond for each of n records.
func newSlowJob(t *testing.T, n int) string {
	t.Helper()
	const local = 8
	return newGuestJob(t, strings.Repeat("slow\n", n), "slow", wasmtest.Code(
		wasmtest.Const(4_000_000), wasmtest.Set(local),
		wasmtest.Loop,
		wasmtest.Get(local), wasmtest.Const(1), wasmtest.Sub, wasmtest.Set(local),
		wasmtest.Get(local), wasmtest.BrIf(0),
		wasmtest.End,
	))
}

// newHangingJob makes a job whose guest says "hang record" and never returns
// from its last record, which may take long.
func newHangingJob(t *testing.T) string {
	t.Helper()
	return newGuestJob(t, "good\nhang\n", "hang", wasmtest.Code(wasmtest.Loop, wasmtest.Br(0), wasmtest.End))
}

// newGuestJob makes guestJob with a guest that at the records with a value
// logs that and does code.
func newGuestJob(t *testing.T, in, value string, code []byte) string {
	t.Helper()
	dir := newJob(t, guestJob, in)
	const info, at = 1, 512
	line := value + " record"
	guest := wasmtest.OnValue(value,
		func(m *wasmtest.Module, _ wasmtest.Imports) { m.Data(at, []byte(line)) },
		func(im wasmtest.Imports) []byte {
			say := wasmtest.Code(wasmtest.Const(info), wasmtest.Const(at), wasmtest.Const(int32(len(line))), wasmtest.Call(im.Log), wasmtest.Drop)
			return wasmtest.Code(say, code)
		})
	write(t, dir, "guest.wasm", string(guest))
	return dir
}

// lines returns the lines of the files of a sink in dir.
func lines(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	paths, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")...)
	}
	return all
}

// numbered returns the lines 1 to n.
func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}
