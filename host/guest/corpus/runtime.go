package corpus

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// Runtime returns a runtime with what Link makes, which is closed when the
// test ends. Machine code is kept from one process to the next, for CPython
// takes ten seconds.
func Runtime(t testing.TB, config wazero.RuntimeConfig) wazero.Runtime {
	t.Helper()
	dir, err := cachedir.Make("", "corpus-compiled")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithoutCancel(t.Context()) // for the clean-up, which comes after its end
	r := wazero.NewRuntimeWithConfig(ctx, config.WithCompilationCache(cache))
	t.Cleanup(func() {
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := cache.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := Link(ctx, r); err != nil {
		t.Fatal(err)
	}
	return r
}
