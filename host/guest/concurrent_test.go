package guest_test

import (
	"context"
	"errors"
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
