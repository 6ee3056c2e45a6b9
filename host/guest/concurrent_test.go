package guest_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestModule_ManyGoroutinesWithInstancesOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	e := engine(t, guest.EngineOptions{})
	wasm := wasmtest.TrapOn("bad")
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			errs[i] = func() error {
				m, err := e.Compile(ctx, wasm, "m")
				if err != nil {
					return err
				}
				for range 10 {
					c := &calls{}
					in, err := m.Instantiate(ctx, guest.Init{}, c)
					if err != nil {
						return err
					}
					if status, err := in.Batch(ctx, batch("a", "b")); err != nil || status != abi.OK || len(c.records) != 2 {
						return errors.Join(err, errors.New("the batch did not come through"))
					}
					if _, err := in.Batch(ctx, batch("bad")); err == nil {
						return errors.New("no trap")
					}
					if err := in.Close(ctx); err != nil {
						return err
					}
				}
				return m.Close(ctx)
			}()
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// wazero puts a module that comes from its cache among those it knows before
// it is whole.
func TestEngine_ManyCompileTheSameModuleAtOnce(t *testing.T) {
	ctx := context.Background()
	wasm := wasmtest.TrapOn("bad")
	dir := filepath.Join(t.TempDir(), "cache")
	for range 50 {
		e, err := guest.NewEngine(ctx, guest.EngineOptions{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		start := make(chan struct{})
		errs := make([]error, 8)
		for i := range errs {
			group.Go(func() {
				<-start
				errs[i] = func() error {
					m, err := e.Compile(ctx, wasm, "m")
					if err != nil {
						return err
					}
					in, err := m.Instantiate(ctx, guest.Init{}, &calls{})
					if err != nil {
						return err
					}
					return errors.Join(in.Close(ctx), m.Close(ctx))
				}()
			})
		}
		close(start)
		group.Wait()
		if err := errors.Join(append(errs, e.Close(ctx))...); err != nil {
			t.Fatal(err)
		}
	}
}
