package watchdog_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/watchdog"
)

// dog returns the dog of the process.
func dog(t testing.TB) *watchdog.Dog {
	t.Helper()
	d, err := watchdog.Shared()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// slot returns a slot for flag that is released when the test ends.
func slot(t testing.TB, flag *uint64) *watchdog.Slot {
	t.Helper()
	s, err := dog(t).Slot(flag)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Release)
	return s
}

// until waits for a condition, with a bound far above what it takes.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(30 * time.Second); !f(); <-tick.C {
		if time.Now().After(bound) {
			t.Fatalf("waited 30 s for: %s", what)
		}
	}
}

// spin uses CPU until the flag is set, 30 s at most.
func spin(flag *uint64) {
	for bound := time.Now().Add(30 * time.Second); atomic.LoadUint64(flag) == 0 && time.Now().Before(bound); {
		for range 1000 {
		}
	}
}

// looping is a module with a global "flag" (i32), another one before it, and
// a function "loop" that stores 1 at address 0 of its memory and then loops
// until the flag is set.
var looping = []byte{
	0, 'a', 's', 'm', 1, 0, 0, 0,
	1, 4, 1, 0x60, 0, 0, // a type: no parameters, no results
	3, 2, 1, 0, // a function
	5, 3, 1, 0, 1, // a memory of a page
	6, 11, 2, 0x7e, 1, 0x42, 7, 0x0b, 0x7f, 1, 0x41, 0, 0x0b, // globals: mutable i64 = 7, mutable i32 = 0
	7, 25, 4,
	4, 'f', 'l', 'a', 'g', 3, 1,
	4, 'l', 'o', 'o', 'p', 0, 0,
	3, 'm', 'e', 'm', 2, 0,
	1, 'a', 3, 0,
	10, 20, 1, 18, 0,
	0x41, 0, 0x41, 1, 0x36, 2, 0, // i32.store at 0 of 1
	0x03, 0x40, 0x23, 1, 0x0d, 1, 0x0c, 0, 0x0b, 0x0b, // loop: global.get 1, br_if 1, br 0
}

// loop is an instance of looping with its flag found.
type loop struct {
	mod  api.Module
	call api.Function
	flag *uint64
}

// newLoop instantiates looping; it skips the test where wazero has no compiler.
func newLoop(t testing.TB, r wazero.Runtime) *loop {
	t.Helper()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("wazero compiles for amd64 and arm64 only")
	}
	mod, err := r.InstantiateWithConfig(t.Context(), looping, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	flag, err := watchdog.FlagOf(global(mod, "flag"))
	if err != nil {
		t.Fatal(err)
	}
	return &loop{mod, mod.ExportedFunction("loop"), flag}
}

// run runs the guest on a thread of its own until it is stopped, and says
// whether the dog did that and how long after Begin the guest came back.
func (l *loop) run(t testing.TB, s *watchdog.Slot, cpu time.Duration) (stopped bool, took time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now()
	s.Begin(cpu)
	if _, err := l.call.Call(context.Background()); err != nil {
		t.Error(err)
	}
	took = time.Since(began)
	return s.End(), took
}

func global(mod api.Module, name string) api.MutableGlobal {
	return mod.ExportedGlobal(name).(api.MutableGlobal)
}

func newRuntime(t testing.TB, c wazero.RuntimeConfig) wazero.Runtime {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, c)
	t.Cleanup(func() { _ = r.Close(ctx) })
	return r
}
