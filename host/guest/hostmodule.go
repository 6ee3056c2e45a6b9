package guest

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/meter"
	"github.com/wasmill/wasmill/host/guest/wasi"
)

// hostFunc serves one import. s holds the arguments and takes the result; m
// is where its addresses point to.
type hostFunc func(in *instance, m memory, s []uint64)

// hostFuncs are the functions that this build has. Those of abi.Imports that
// are not here answer ENOSYS.
var hostFuncs = map[string]hostFunc{
	"emit":           hostEmit,
	"fail":           hostFail,
	"resume":         hostResume,
	"state_get":      hostStateGet,
	"state_get_many": hostStateGetMany,
	"state_put":      hostStatePut,
	"state_delete":   hostStateDelete,
	"state_scan":     hostStateScan,
	"log":            hostLog,
	"log_enabled":    hostLogEnabled,
	"metric_define":  hostMetricDefine,
	"metric_add":     hostMetricAdd,
	"config":         hostConfig,
	"now":            hostNow,
}

// linkHost gives the runtime all modules that a guest may import from and
// returns their functions.
func linkHost(ctx context.Context, r wazero.Runtime) (admit.Host, error) {
	if err := wasi.Link(ctx, r, wasiOf, guard); err != nil {
		return nil, err
	}
	if err := linkMeter(ctx, r); err != nil {
		return nil, err
	}
	builder := r.NewHostModuleBuilder(abi.ImportModule)
	funcs := make(map[string]admit.FuncType)
	for _, im := range abi.Imports {
		params, results := valueTypes(im.Params), valueTypes(im.Results)
		funcs[im.Name] = admit.FuncType{Params: string(params), Results: string(results)}
		builder.NewFunctionBuilder().WithGoModuleFunction(entry(im.Name), params, results).Export(im.Name)
	}
	if _, err := builder.Instantiate(ctx); err != nil {
		return nil, err
	}
	wasiFuncs := make(map[string]admit.FuncType)
	for _, f := range wasi.Funcs {
		wasiFuncs[f.Name] = admit.FuncType{Params: string(f.Params), Results: string(f.Results)}
	}
	return admit.Host{abi.ImportModule: funcs, wasi.Module: wasiFuncs}, nil
}

// linkMeter gives the runtime what the rewriter makes modules import.
func linkMeter(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(meter.ImportModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(tick), []api.ValueType{api.ValueTypeI32}, nil).Export(meter.ImportTick).
		Instantiate(ctx)
	return err
}

// tick is called when the guest's flag is set or its stack is used up.
func tick(ctx context.Context, _ api.Module, s []uint64) {
	in := instanceOf(ctx)
	if uint32(s[0]) > stackBudget {
		panic(&unwind{kind: TrapCode, text: "stack overflow"})
	}
	if u := in.cpu.tick(in.ctx.Context); u != nil {
		panic(u)
	}
}

func wasiOf(ctx context.Context) *wasi.State { return instanceOf(ctx).wasi }

func valueTypes(list string) []api.ValueType {
	types := []api.ValueType{}
	for name := range strings.FieldsSeq(list) {
		switch name {
		case "i32":
			types = append(types, api.ValueTypeI32)
		case "i64":
			types = append(types, api.ValueTypeI64)
		}
	}
	return types
}

// entry is where a guest enters the host. A panic behind it is a fault of
// the host: it is logged with its Go stack, and the guest ends with a Trap.
func entry(name string) api.GoModuleFunc {
	f, ok := hostFuncs[name]
	if !ok {
		f = hostMissing
	}
	return func(ctx context.Context, mod api.Module, s []uint64) {
		defer guard(ctx, name)
		f(instanceOf(ctx), mod.Memory(), s)
	}
}

func guard(ctx context.Context, function string) {
	r := recover()
	if r == nil {
		return
	}
	if u, ok := r.(*unwind); ok {
		panic(u) // it is meant
	}
	in, what := instanceOf(ctx), fmt.Sprint(r)
	in.module.engine.log.Error("a host function panicked", "function", function, "module", in.module.digest, "panic", what, "stack", string(debug.Stack()))
	panic(&hostPanic{function, what})
}

func hostMissing(_ *instance, _ memory, s []uint64) { setErrno(s, abi.ENOSYS) }

// setErrno answers with an error number, or 0 for OK.
func setErrno(s []uint64, e abi.Errno) { s[0] = uint64(uint32(e.Status())) }

// setLen answers with a length.
func setLen(s []uint64, n int) { s[0] = uint64(uint32(n)) }
