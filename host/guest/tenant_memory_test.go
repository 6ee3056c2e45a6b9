package guest_test

import (
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// An instance for whose memory there is no room is not made; those that run
// go on, and one that is closed makes room.
func TestTenant_InstancesHaveToFitItsMemory(t *testing.T) {
	tenant := guest.NewTenant(guest.TenantOptions{Memory: 3 << 16})
	t.Cleanup(tenant.Close) // behind the engine
	e := engine(t, guest.EngineOptions{Tenant: tenant})
	m, err := e.Compile(t.Context(), wasmtest.StepWith(func(m *wasmtest.Module, _ wasmtest.Imports) { m.Memory(2) }, func(wasmtest.Imports) []byte {
		return wasmtest.Const(0)
	}), "m")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		first, err := m.Instantiate(t.Context(), guest.Init{}, &calls{})
		if err != nil {
			t.Fatal(err)
		}
		const want = "guest: module m: no memory for an instance, which begins with 131072 bytes: all instances together may have 196608 bytes"
		if _, err := m.Instantiate(t.Context(), guest.Init{}, &calls{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		run(t, first, batch("a"))
		if err := first.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left := tenant.MemoryBytes(); left > 0 {
		t.Errorf("%d bytes of closed instances are counted", left)
	}
}
