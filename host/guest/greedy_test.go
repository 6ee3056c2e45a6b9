package guest_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/passthrough"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// soak makes tests run at their full length.
var soak = flag.Bool("soak", false, "run tests of endurance at their full length")

// started makes an instance of a module for a test.
func started(t *testing.T, e *guest.Engine, wasm []byte, init guest.Init, c guest.Calls) guest.Instance {
	t.Helper()
	m, err := e.Compile(t.Context(), wasm, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instantiate(t.Context(), init, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(context.Background()), m.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return in
}

// patiently is a run in which a call may use so much CPU time.
func patiently(d time.Duration) guest.Init {
	return guest.Init{Run: guest.Run{Patient: true, RecordTime: d}}
}

// A call of a greedy guest ends with its quantum, a patient one with the time
// of its record, or earlier if it has several and one is to be found; all say
// so, and the same instance does nothing more.
func TestGreedyGuests_AreStopped(t *testing.T) {
	overflows := map[string]bool{"recursion": true, "indirect recursion": true}
	for _, g := range wasmtest.Greedies("bad") {
		t.Run(g.Name, func(t *testing.T) {
			e := engine(t, guest.EngineOptions{MemoryLimit: 128 << 20})
			for _, run := range []struct {
				init guest.Init
				kind guest.TrapKind
				says string
			}{
				{guest.Init{}, guest.TrapQuantum, "it did not return within 10ms of CPU time"},
				{patiently(50 * time.Millisecond), guest.TrapTimeout, "it did not return within 50ms of CPU time"},
				{patiently(time.Hour), guest.TrapQuantum, "it did not return within 100ms of CPU time"},
			} {
				kind, says := run.kind, run.says
				switch {
				case overflows[g.Name] && !run.init.Run.Patient: // whichever comes first
					kind, says = "", ""
				case overflows[g.Name]:
					kind, says = guest.TrapCode, "stack overflow"
				case g.Name == "allocation": // may come to the limit of memory before
					kind, says = "", ""
				}
				// What it used is far less than this, start-up with it. The kernel may
				// charge a thread for what the machine did: once, not each time.
				const enough = 500 * time.Millisecond
				in := started(t, e, g.Wasm, run.init, &calls{quiet: true})
				tr := trap(t, in, batch("good", "bad"))
				for again := 0; in.Used() > enough && again < 3; again++ {
					in = started(t, e, g.Wasm, run.init, &calls{quiet: true})
					tr = trap(t, in, batch("good", "bad"))
				}
				if kind != "" && (tr.Kind != kind || tr.Message != says) {
					t.Errorf("patient %v: kind %q, message %q; want %q, %q", run.init.Run.Patient, tr.Kind, tr.Message, kind, says)
				}
				if used := in.Used(); used > enough {
					t.Errorf("it used %v of CPU time", used)
				}
			}
		})
	}
}

// The end of its context ends a call of a guest that loops, whatever it may
// still use, and no goroutine is left of it.
func TestBatch_ACancelledContextEndsAGuestThatLoops(t *testing.T) {
	for _, g := range wasmtest.Greedies("bad") {
		if g.Name != "loop" && g.Name != "call tree" && g.Name != "host calls" {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			cancelled := func() time.Duration {
				e := engine(t, guest.EngineOptions{})
				in := started(t, e, g.Wasm, patiently(time.Hour), &calls{quiet: true})
				goroutines := runtime.NumGoroutine()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var group sync.WaitGroup
				var err error
				group.Go(func() { _, err = in.Batch(ctx, batch("bad")) })
				for e.CPU().Used < 30*time.Millisecond { // it has been through some quanta
					runtime.Gosched()
				}
				began := time.Now()
				cancel()
				group.Wait()
				took := time.Since(began)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				if _, again := in.Batch(t.Context(), batch("good")); again == nil {
					t.Error("the instance goes on in the middle of a call")
				}
				settle(t, goroutines)
				return took
			}
			soon(t, cancelled)
		})
	}
}

// soon holds that something ends within a second of its context. A machine
// that is busy with other things may be late, but not each time.
func soon(t *testing.T, cancelled func() time.Duration) {
	t.Helper()
	took := cancelled()
	for again := 0; took > time.Second && again < 3; again++ {
		t.Logf("it ended %v after its context: once more", took)
		took = cancelled()
	}
	if took > time.Second {
		t.Errorf("it ended %v after its context", took)
	}
}

// settle waits until no more goroutines are left than there were: one that has
// done its work may not have ended yet.
func settle(t *testing.T, goroutines int) {
	t.Helper()
	for began := time.Now(); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
}

// looping is a module that loops before its first call.
func looping(where string) []byte {
	forever := wasmtest.Code(wasmtest.Loop, wasmtest.Br(0), wasmtest.End)
	return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) {
		switch where {
		case "start":
			m.Start(m.Func("start", "", "", "", forever))
		case abi.ExportInit:
			m.ExportFunc(where, "ii", "i", "", forever, wasmtest.Const(0))
		default:
			m.ExportFunc(where, "", "", "", forever)
		}
	}, func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
}

// A module that loops while it starts is ended by its context, and by its
// budget; until then neither the collector nor a neighbour waits for it.
func TestInstantiate_AStartThatLoops(t *testing.T) {
	bound := time.Second
	if *soak {
		bound = 100 * time.Millisecond
	}
	for _, where := range []string{"start", abi.ExportInitialize, abi.ExportInit} {
		t.Run(where, func(t *testing.T) {
			neighbour := started(t, engine(t, guest.EngineOptions{}), passthrough.Wasm, guest.Init{}, &calls{quiet: true})
			e := engine(t, guest.EngineOptions{})
			m, err := e.Compile(t.Context(), looping(where), "m")
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			start := func() (cancel context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				group.Go(func() { _, err = m.Instantiate(ctx, guest.Init{}, &calls{}) })
				return cancel
			}
			cancel := start()
			defer func() { cancel() }()
			var took []time.Duration
			n := 20
			if testing.Short() {
				n = 5
			}
			for range n {
				began := time.Now()
				runtime.GC()
				run(t, neighbour, batch("a"))
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			// A machine that is busy with other things may be late now and then.
			if took[n/2] > bound || took[n-1] > 10*bound {
				t.Errorf("a collection and a neighbour's batch took %v", took)
			}
			if *soak && where == "start" {
				began := time.Now()
				group.Wait()
				var tr *guest.Trap
				if !errors.As(err, &tr) || tr.Kind != guest.TrapInit || tr.Message != "the start function: it did not return within 30s of CPU time" {
					t.Errorf("error %v after %v", err, time.Since(began))
				}
				return
			}
			soon(t, func() time.Duration {
				for used := e.CPU().Used; e.CPU().Used < used+30*time.Millisecond; { // it loops
					runtime.Gosched()
				}
				began := time.Now()
				cancel()
				group.Wait()
				took := time.Since(began)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				if took > time.Second {
					cancel = start()
				}
				return took
			})
			cancel()
			group.Wait()
		})
	}
}

// Endless recursion takes no more memory than the budget of its stack.
func TestRecursion_TakesNoMemory(t *testing.T) {
	e := engine(t, guest.EngineOptions{})
	m, err := e.Compile(t.Context(), wasmtest.Recurse(), "m")
	if err != nil {
		t.Fatal(err)
	}
	recurse := func() {
		in, err := m.Instantiate(t.Context(), patiently(time.Second), &calls{})
		if err != nil {
			t.Fatal(err)
		}
		if tr := trap(t, in, batch("a")); !strings.Contains(tr.Message, "stack overflow") {
			t.Fatal(tr)
		}
		if err := in.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	recurse()
	peak := peakResident(t)
	for range 20 {
		recurse()
	}
	if grown := peakResident(t) - peak; grown > 32<<20 {
		t.Errorf("the peak of resident memory rose by %d bytes", grown)
	}
}

// Whatever takes all slots leaves Go a processor. A process of its own looks,
// for package testing sets GOMAXPROCS again and again.
func TestCPUs_GoHasOneMore(t *testing.T) {
	const child = "WASMILL_TEST_CPUS"
	if os.Getenv(child) != "" {
		engine(t, guest.EngineOptions{})
		if have := runtime.GOMAXPROCS(0); have != guest.CPUs()+1 {
			t.Errorf("GOMAXPROCS is %d, calls have %d", have, guest.CPUs())
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^"+t.Name()+"$", "-test.count", "1", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
