package wasi

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Link gives the runtime the module of this package. of returns the State of
// the instance that is calling, nil if there is none, for which all functions
// answer ENOSYS. guard is deferred around every function but proc_exit: it
// may recover from a panic, which is a bug here or in a Config, and say of
// which function; nil lets it pass. The guests must have a memory.
func Link(ctx context.Context, r wazero.Runtime, of func(context.Context) *State, guard func(ctx context.Context, function string)) error {
	b := r.NewHostModuleBuilder(Module)
	for i := range Funcs {
		f := &Funcs[i]
		b.NewFunctionBuilder().WithGoModuleFunction(entry(f, of, guard), f.Params, f.Results).Export(f.Name)
	}
	if _, err := b.Instantiate(ctx); err != nil {
		return fmt.Errorf("wasi: %w", err)
	}
	return nil
}

func entry(f *Func, of func(context.Context) *State, guard func(context.Context, string)) api.GoModuleFunc {
	if len(f.Results) == 0 { // proc_exit, whose panic is no fault
		return func(_ context.Context, _ api.Module, stack []uint64) { f.Call(nil, nil, stack) }
	}
	call := func(ctx context.Context, mod api.Module, stack []uint64) {
		if s := of(ctx); s != nil {
			f.Call(s, mod.Memory(), stack)
		} else {
			stack[0] = uint64(ENOSYS)
		}
	}
	if guard == nil {
		return call
	}
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		defer guard(ctx, f.Name)
		call(ctx, mod, stack)
	}
}
