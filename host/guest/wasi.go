package guest

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/wasmill/wasmill/host/guest/admit"
)

// linkWASI gives the runtime WASI preview 1 and returns its functions.
func linkWASI(ctx context.Context, r wazero.Runtime) (map[string]admit.FuncType, error) {
	code, err := wasi_snapshot_preview1.NewBuilder(r).Compile(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := r.InstantiateModule(ctx, code, wazero.NewModuleConfig()); err != nil {
		return nil, err
	}
	funcs := make(map[string]admit.FuncType)
	for name, def := range code.ExportedFunctions() {
		funcs[name] = admit.FuncType{Params: string(def.ParamTypes()), Results: string(def.ResultTypes())}
	}
	return funcs, nil
}

// moduleConfig is what an instance sees through WASI: its output goes to the
// log, its input is empty, clocks and random bytes depend on the batch alone.
// There are no files, arguments, variables or sockets, and sleep returns at
// once. The instance has no name, so that any number of them live side by
// side; no start function runs, because start-up calls _initialize itself.
func (in *instance) moduleConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions().
		WithStdout(&in.log.stdout).
		WithStderr(&in.log.stderr).
		WithRandSource(&in.random).
		WithWalltime(func() (int64, int32) {
			t := in.wall()
			return t / 1e9, int32(t % 1e9)
		}, sys.ClockResolution(tick)).
		WithNanotime(in.clock.read, sys.ClockResolution(tick)).
		WithNanosleep(in.clock.sleep)
}
