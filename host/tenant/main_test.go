package tenant_test

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/tenant"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

// The workers of these tests do what CacheDir says, which no job here needs.
const (
	dieAt     = "die at "    // POINT|DIR: when the point comes, in each of three processes
	dieBefore = "die before" // opening the job
	panicking = "panic"
	hold      = "hold " // FILE: holds memory and says so in FILE
	logging   = "log"
	giveUp    = "give up" // cancel the run by itself
	endless   = "endless" // no epoch ends
	slowly    = "slowly " // FILE: behind the first epoch no batch goes on before FILE is there
)

func TestMain(m *testing.M) {
	if tenant.Main(context.Background(), setup) {
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // workers end at once under the race detector too
	os.Exit(m.Run())
}

func registry(w io.Writer) *plugins.Registry {
	reg := new(plugins.Registry)
	file.Register(reg, w)
	return reg
}

func die() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// held is memory that a worker holds.
var held []byte

func setup(r tenant.Request, stdout, stderr *os.File, cancel context.CancelCauseFunc) host.Options {
	log.SetOutput(io.Discard)
	o := host.Options{File: r.File, Overrides: r.Overrides, Registry: registry(stdout), Fresh: r.Fresh}
	switch what := r.CacheDir; {
	case strings.HasPrefix(what, dieAt):
		point, dir, _ := strings.Cut(strings.TrimPrefix(what, dieAt), "|")
		o.Hooks.At = dieThrice(point, dir)
	case what == dieBefore:
		die()
	case what == panicking:
		o.Hooks.Read = func(int) { panic("a bug") }
	case strings.HasPrefix(what, hold):
		held = make([]byte, 256<<20)
		for i := range held {
			held[i] = 1
		}
		_ = os.WriteFile(strings.TrimPrefix(what, hold), nil, 0o600)
		o.Hooks.Read = func(int) { select {} }
	case what == logging:
		_, _ = stderr.WriteString("one line\nanother")
		_, _ = stderr.WriteString(" line\n")
	case what == giveUp:
		o.Hooks.Read = func(int) { cancel(errors.New("enough")) }
	case strings.HasPrefix(what, slowly):
		o.Hooks.Read, o.Hooks.Decided = goSlowly(strings.TrimPrefix(what, slowly))
	case what == endless:
		o.Hooks.Read = func(int) { select {} }
	}
	return o
}

// dieThrice ends a process at a point, unless dir has three files: each end
// leaves one.
func dieThrice(point, dir string) func(epoch.Point) error {
	return func(p epoch.Point) error {
		if string(p) != point {
			return nil
		}
		if ends, err := os.ReadDir(dir); err != nil || len(ends) == 3 {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
			return err
		}
		die()
		return nil
	}
}

// goSlowly lets batches take so long that the input is far from its end both
// when the first epoch is there and when what file tells of has come here too.
func goSlowly(file string) (read func(int), decided func(uint64)) {
	var first atomic.Bool
	read = func(int) {
		if !first.Load() {
			time.Sleep(50 * time.Millisecond)
			return
		}
		for {
			if _, err := os.Stat(file); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
	}
	return read, func(uint64) { first.Store(true) }
}

const copyJob = `job: copy
sources:
  in:
    walk: {root: ./in, split: 1KiB}
sinks:
  out:
    from: in
    file: {path: ./out, format: lines}
epoch: 1ms
`

// newJob makes a directory with a job that copies n lines.
func newJob(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var b strings.Builder
	for i := range n {
		b.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	err := errors.Join(os.Mkdir(filepath.Join(dir, "in"), 0o755),
		os.WriteFile(filepath.Join(dir, "in", "lines"), []byte(b.String()), 0o644),
		os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(copyJob), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// options are those of a job in dir whose workers do what.
func options(t *testing.T, dir, what string) tenant.Options {
	return tenant.Options{
		Request:  tenant.Request{File: filepath.Join(dir, "job.yaml"), CacheDir: what},
		Registry: registry(io.Discard), Stdout: os.Stdout, Stderr: os.Stderr,
		Pause: time.Millisecond,
	}
}

// checkCopied compares what came out with the n lines that went in.
func checkCopied(t *testing.T, dir string, n int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "out", "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			seen[strings.TrimSuffix(line, "\n")]++
		}
	}
	if len(seen) != n {
		t.Errorf("%d different lines came out, want %d", len(seen), n)
	}
	for line, times := range seen {
		if times != 1 {
			t.Errorf("%q came out %d times", line, times)
		}
	}
}

// checkNoChildren fails if this process has workers.
func checkNoChildren(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if b, err := os.ReadFile(p); err == nil && len(b) > 0 {
			t.Errorf("processes are left: %s", b)
		}
	}
}
