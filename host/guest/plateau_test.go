package guest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// fromStatus returns a figure of this process in bytes.
func fromStatus(t *testing.T, name string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("needs /proc")
	}
	_, rest, _ := strings.Cut(string(status), name+":")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func peakResident(t *testing.T) int { t.Helper(); return fromStatus(t, "VmHWM") }

// resident returns the resident memory once what can be given back is.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	return fromStatus(t, "VmRSS")
}

// plateau does something n times and holds that resident memory comes back to
// where it was after the first tenth: within 8 MiB, which is what the Go
// runtime keeps more or less of.
func plateau(t *testing.T, n int, do func(i int)) {
	t.Helper()
	for i := range n / 10 {
		do(i)
	}
	before, goroutines := resident(t), runtime.NumGoroutine()
	began := time.Now()
	for i := n / 10; i < n; i++ {
		do(i)
	}
	each := time.Since(began) / time.Duration(n-n/10)
	after := resident(t)
	t.Logf("%d times, %v each: resident memory %.1f MiB after a tenth, %.1f MiB at the end", n, each, float64(before)/(1<<20), float64(after)/(1<<20))
	if after > before+8<<20 {
		t.Errorf("resident memory grew from %d to %d bytes", before, after)
	}
	settle(t, goroutines)
}

// times is n, in make soak, and else a part of it.
func times(n, part int) int {
	switch {
	case *soak:
		return n
	case testing.Short():
		return n / part / 10
	}
	return n / part
}

func TestInstances_ReturnToAPlateau(t *testing.T) {
	tenant := guest.NewTenant(guest.TenantOptions{Memory: 64 << 20})
	t.Cleanup(tenant.Close) // behind the engine
	e := engine(t, guest.EngineOptions{Tenant: tenant})
	m, err := e.Compile(t.Context(), wasmtest.TrapOn("bad"), "m")
	if err != nil {
		t.Fatal(err)
	}
	plateau(t, times(100_000, 50), func(i int) {
		in, err := m.Instantiate(t.Context(), guest.Init{Task: i % 3}, &calls{quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		run(t, in, batch("a"))
		if i%2 == 0 {
			trap(t, in, batch("bad"))
		}
		if err := in.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if left := tenant.MemoryBytes(); left > 0 {
		t.Errorf("%d bytes of closed instances are counted", left)
	}
}

// deploy returns a module that differs from others in its code: data is not
// compiled.
func deploy(i int) []byte {
	return wasmtest.OnValue("bad", nil, func(wasmtest.Imports) []byte {
		return wasmtest.Code(wasmtest.Const(int32(i)), wasmtest.Drop)
	})
}

// A deploy is a module that was never here before, run and taken away again.
func TestDeploys_ReturnToAPlateau(t *testing.T) {
	e, err := guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: filepath.Join(t.TempDir(), "modules")})
	if err != nil {
		t.Fatal(err)
	}
	plateau(t, times(10_000, 100), func(i int) {
		ctx := t.Context()
		m, err := e.Compile(ctx, deploy(i), "m")
		if err != nil {
			t.Fatal(err)
		}
		in, err := m.Instantiate(ctx, guest.Init{}, &calls{quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		run(t, in, batch("a", "b"))
		if err := errors.Join(in.Close(ctx), m.Close(ctx)); err != nil {
			t.Fatal(err)
		}
	})
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
