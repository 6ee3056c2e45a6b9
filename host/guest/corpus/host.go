package corpus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest/meter"
)

// Link makes the modules that guests import: wazero's WASI; wasmill_v1, of
// which emit, fail and log do something and all else answers ENOSYS; and, for
// those that are rewritten, a tick that ends the call with ErrStopped.
func Link(ctx context.Context, r wazero.Runtime) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return err
	}
	b := r.NewHostModuleBuilder(abi.ImportModule)
	for _, f := range abi.Imports {
		b.NewFunctionBuilder().WithGoModuleFunction(hostFunction(f.Name), valueTypes(f.Params), valueTypes(f.Results)).Export(f.Name)
	}
	if _, err := b.Instantiate(ctx); err != nil {
		return err
	}
	b = r.NewHostModuleBuilder(meter.ImportModule)
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(tick), valueTypes("i32"), nil).Export(meter.ImportTick)
	_, err := b.Instantiate(ctx)
	return err
}

func valueTypes(names string) (types []api.ValueType) {
	for _, n := range strings.Fields(names) {
		if n == "i64" {
			types = append(types, api.ValueTypeI64)
		} else {
			types = append(types, api.ValueTypeI32)
		}
	}
	return types
}

func hostFunction(name string) api.GoModuleFunc {
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		answer := -int32(abi.ENOSYS)
		e, _ := ctx.Value(effectsKey{}).(*effects)
		switch {
		case name == "log":
			answer = 0
		case name == "emit" && e != nil:
			answer = e.emit(mod.Memory().Read(uint32(stack[0]), uint32(stack[1])))
		case name == "fail" && e != nil:
			answer = 0
			e.failed = append(e.failed, uint32(stack[0]))
		}
		if len(stack) == 0 {
			return
		}
		stack[0] = api.EncodeI32(answer)
	}
}

// effects are those of one batch. Host functions find them by the context.
type effects struct {
	frames [][]byte
	failed []uint32
}

type effectsKey struct{}

func withEffects(ctx context.Context, e *effects) context.Context {
	return context.WithValue(ctx, effectsKey{}, e)
}

func (e *effects) emit(frame []byte, ok bool) int32 {
	if !ok {
		return -int32(abi.EFAULT)
	}
	e.frames = append(e.frames, append([]byte(nil), frame...))
	return 0
}

// outcomes sorts the effects by the records that caused them.
func (e *effects) outcomes(n int) ([]Outcome, error) {
	all, seen := make([]Outcome, n), make([]int, n)
	set := func(cause uint32, o Outcome) error {
		if uint64(cause) >= uint64(n) {
			return fmt.Errorf("an effect of record %d in a batch of %d", cause, n)
		}
		all[cause] = o
		seen[cause]++
		return nil
	}
	var errs []error
	for _, index := range e.failed {
		errs = append(errs, set(index, Outcome{Rejected: true}))
	}
	for _, frame := range e.frames {
		b, err := wire.Parse(frame)
		if err != nil {
			return nil, fmt.Errorf("a frame that was emitted: %w", err)
		}
		for rest := b.Records; len(rest) > 0; {
			var r record.Record
			rest = wire.Next(rest, &r)
			errs = append(errs, set(r.Cause, Outcome{Value: r.Value}))
		}
	}
	for i, times := range seen {
		if times != 1 {
			errs = append(errs, fmt.Errorf("record %d had %d outcomes", i, times))
		}
	}
	return all, errors.Join(errs...)
}
