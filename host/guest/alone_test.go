package guest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// emittingAlloc is a guest whose wasmill_alloc emits, rejects a record and
// writes state, and keeps what they answer for its end.
func emittingAlloc() []byte {
	const answers = 2048
	return wasmtest.StepWith(func(m *wasmtest.Module, im wasmtest.Imports) {
		zero := wasmtest.Const(0)
		answer := func(at int32, code ...[]byte) []byte {
			return wasmtest.Code(wasmtest.Const(answers+at), wasmtest.Code(code...), wasmtest.Store(0))
		}
		m.ExportFunc(abi.ExportAlloc, "i", "i", "",
			answer(0, zero, zero, wasmtest.Call(im.Emit)),
			answer(4, zero, zero, zero, zero, wasmtest.Call(im.Fail)),
			answer(8, zero, zero, zero, zero, zero, wasmtest.Call(im.StatePut)),
			wasmtest.Const(4096))
	}, func(im wasmtest.Imports) []byte {
		return wasmtest.Code(
			wasmtest.Const(0), wasmtest.Const(answers), wasmtest.Load(0), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Call(im.Fail), wasmtest.Drop,
			wasmtest.Const(1), wasmtest.Const(answers), wasmtest.Load(4), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Call(im.Fail), wasmtest.Drop,
			wasmtest.Const(2), wasmtest.Const(answers), wasmtest.Load(8), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Call(im.Fail), wasmtest.Drop,
			wasmtest.Const(0))
	})
}

// Host functions never call the guest, so that nothing can go round; and while
// the guest makes room for a batch it has no batch yet.
func TestAlloc_MayNotEmitOrUseState(t *testing.T) {
	c := &calls{}
	run(t, instance(t, emittingAlloc(), c), batch("a", "b", "c"))
	for i := range 3 {
		if len(c.fails) != 3 || abi.Errno(-c.fails[i].code) != abi.EPERM {
			t.Fatalf("wasmill_alloc was answered %v, want EPERM to all", c.fails)
		}
	}
	if c.frames > 0 || len(c.state) > 0 {
		t.Errorf("%d frames, state %v", c.frames, c.state)
	}
}

// A table that has no maximum may not grow for ever.
func TestTable_GrowsToTheCap(t *testing.T) {
	const result = 6 // a free local
	grow := func(n int32) []byte {
		return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { m.Table(1) }, func(im wasmtest.Imports) []byte {
			return wasmtest.Code(
				[]byte{0xd0, 0x70}, wasmtest.Const(n), []byte{0xfc, 15, 0}, wasmtest.Set(result), // table.grow
				wasmtest.Const(0), wasmtest.Get(result), wasmtest.Const(0), wasmtest.Const(0), wasmtest.Call(im.Fail),
			)
		})
	}
	for n, want := range map[int32]int32{1 << 26: -1, 100_000: -1, 1000: 1} {
		c := &calls{}
		in := instance(t, grow(n), c)
		before := resident(t)
		run(t, in, batch("a"))
		if c.fails[0].code != want {
			t.Errorf("table.grow by %d is %d, want %d", n, c.fails[0].code, want)
		}
		if grown := resident(t) - before; grown > 16<<20 {
			t.Errorf("table.grow by %d: resident memory grew by %d bytes", n, grown)
		}
	}
}

// All instances of a tenant together have a limit, whichever engine they are of.
func TestTenant_MemoryOfAllInstances(t *testing.T) {
	tenant := guest.NewTenant(guest.TenantOptions{Memory: 1 << 20})
	t.Cleanup(tenant.Close)
	first := started(t, engine(t, guest.EngineOptions{Tenant: tenant}), wasmtest.Grow(7), guest.Init{}, &calls{quiet: true})
	second := started(t, engine(t, guest.EngineOptions{Tenant: tenant}), wasmtest.Grow(7), guest.Init{}, &calls{quiet: true})
	run(t, first, batch("a"))
	if used := tenant.MemoryBytes(); used != 9*65536 {
		t.Errorf("%d bytes are accounted, want 9 pages", used)
	}
	run(t, second, batch("a"))
	trap(t, second, batch("a"))
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if used := tenant.MemoryBytes(); used != 8*65536 {
		t.Errorf("%d bytes are accounted, want 8 pages", used)
	}
	other := started(t, engine(t, guest.EngineOptions{}), wasmtest.Grow(20), guest.Init{}, &calls{quiet: true})
	run(t, other, batch("a")) // somebody else's
}

// importing is a step that imports a function from a module.
func importing(module, name string) []byte {
	return wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { m.Import(module, name, "", "") },
		func(wasmtest.Imports) []byte { return wasmtest.Const(0) })
}

// What a guest exports is out of reach of others, under any name by which its
// host may know it; what the host made for itself is too.
func TestModules_DoNotReachEachOther(t *testing.T) {
	e := engine(t, guest.EngineOptions{})
	m, err := e.Compile(t.Context(), wasmtest.PassThrough(), "victim")
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instantiate(t.Context(), guest.Init{Step: "step", Job: "job"}, &calls{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(context.Background())
	for _, module := range []string{"", "victim", "step", "job", "env", m.Digest(), "wasmill_meter"} {
		for _, name := range []string{abi.ExportMarker, "tick", "wasmill:flag"} {
			_, err := e.Compile(t.Context(), importing(module, name), "thief")
			if err == nil || !strings.Contains(err.Error(), "it imports ") {
				t.Errorf("import of %q.%q: error %v", module, name, err)
			}
		}
	}
}

// Two tenants run the same module side by side from one cache, and neither
// minds when the other goes.
func TestEngines_WithOneModuleAndOneCache(t *testing.T) {
	dir := t.TempDir() + "/modules"
	wasm := wasmtest.FailOn("bad", "no")
	var engines [2]*guest.Engine
	var modules [2]guest.Module
	for i := range engines {
		var err error
		if engines[i], err = guest.NewEngine(t.Context(), guest.EngineOptions{CacheDir: dir}); err != nil {
			t.Fatal(err)
		}
		if modules[i], err = engines[i].Compile(t.Context(), wasm, "m"); err != nil {
			t.Fatal(err)
		}
	}
	use := func(i int) error {
		c := &calls{}
		in, err := modules[i].Instantiate(t.Context(), guest.Init{Tenant: "t" + string(rune('0'+i))}, c)
		if err != nil {
			return err
		}
		_, err = in.Batch(t.Context(), batch("a", "bad"))
		if err == nil && (len(c.records) != 2 || len(c.fails) != 1) {
			err = errors.New("the batch did not come through")
		}
		return errors.Join(err, in.Close(t.Context()))
	}
	var group sync.WaitGroup
	var errs [2]error
	for i := range errs {
		group.Go(func() {
			for range 50 {
				errs[i] = errors.Join(errs[i], use(i))
			}
		})
	}
	group.Wait()
	errs[0] = errors.Join(errs[0], modules[0].Close(t.Context()), engines[0].Close(t.Context()))
	errs[1] = errors.Join(errs[1], use(1), modules[1].Close(t.Context()), engines[1].Close(t.Context()))
	if err := errors.Join(errs[:]...); err != nil {
		t.Error(err)
	}
}

// holding is a host that holds the first Emit until it is released.
type holding struct {
	calls
	held             atomic.Bool
	entered, release chan struct{}
}

func (h *holding) Emit(frame []byte) abi.Errno {
	if h.held.CompareAndSwap(false, true) {
		close(h.entered)
		<-h.release
	}
	return h.calls.Emit(frame)
}

// An instance has one goroutine; who breaks that is told, and the call that
// runs is not disturbed.
func TestInstance_TwoGoroutinesAreRefused(t *testing.T) {
	c := &holding{entered: make(chan struct{}), release: make(chan struct{})}
	in := started(t, engine(t, guest.EngineOptions{}), wasmtest.FailOn("bad", "no"), guest.Init{}, c)
	var group sync.WaitGroup
	var err error
	group.Go(func() { _, err = in.Batch(t.Context(), batch("a", "b", "bad", "c")) })
	const says = "an instance was called while a call of it is running"
	refused := 0
	<-c.entered
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // of calls that are not refused
	defer cancel()
	for range 100 {
		if _, e := in.Batch(ctx, batch("a")); e != nil && strings.Contains(e.Error(), says) {
			refused++
		}
		if _, _, e := in.End(ctx, nil); e != nil && strings.Contains(e.Error(), says) {
			refused++
		}
	}
	close(c.release)
	group.Wait()
	if err != nil || len(c.records) != 4 || len(c.fails) != 1 {
		t.Errorf("error %v, %d records, %d fails", err, len(c.records), len(c.fails))
	}
	if refused != 200 {
		t.Errorf("%d of 200 calls were refused", refused)
	}
	run(t, in, batch("a"))
}

// What a guest says is made fit for one line of a message.
func TestTrap_TextOfAGuestIsMadeFit(t *testing.T) {
	line := "bad \xff\xfe bytes\r\n\x1b[31mred\x00\u202e end"
	tr := trap(t, instance(t, wasmtest.TrapSaying(3, line), &calls{}), batch("a"))
	text := tr.Error()
	if !strings.Contains(text, "bad ") || !strings.Contains(text, " end") {
		t.Errorf("text %q", text)
	}
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r\x1b\x00\u202e") {
		t.Errorf("text %q", text)
	}
}
