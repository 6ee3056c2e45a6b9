package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/meter"
)

// ErrStopped is what a call ends with that came to its tick.
var ErrStopped = errors.New("corpus: the guest was stopped")

// tick is the one of rewritten modules: it never returns.
func tick(_ context.Context, _ api.Module, stack []uint64) {
	panic(fmt.Errorf("%w with %d bytes of stack in use", ErrStopped, uint32(stack[0])))
}

// Metered returns the Instantiate of a module that meter has rewritten to res.
// A counted one gets all the fuel there is.
func Metered(r wazero.Runtime, compiled wazero.CompiledModule, res *meter.Result) Instantiate {
	return func(ctx context.Context, config wazero.ModuleConfig) (api.Module, error) {
		m, err := r.InstantiateModule(ctx, compiled, config)
		if err != nil {
			return nil, err
		}
		if err := prepare(ctx, m, res); err != nil {
			return nil, errors.Join(err, m.Close(ctx))
		}
		return m, nil
	}
}

// prepare does for an instance what was taken out of its module.
func prepare(ctx context.Context, m api.Module, res *meter.Result) error {
	for _, s := range res.Data {
		if !m.Memory().Write(s.At, s.Bytes) {
			return fmt.Errorf("data of %d bytes at %#x is outside of the memory of %d", len(s.Bytes), s.At, m.Memory().Size())
		}
	}
	if fuel, ok := m.ExportedGlobal(meter.ExportFuel).(api.MutableGlobal); ok {
		fuel.Set(math.MaxInt64)
	}
	if res.Start == "" {
		return nil
	}
	_, err := m.ExportedFunction(res.Start).Call(ctx)
	return err
}
