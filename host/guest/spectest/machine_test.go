package spectest_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/meter"
)

// machine runs modules in one form. Its runtime has the tick that rewritten
// modules import: it ends a call whose stack budget is used up. Nobody asks for
// a stop here, so that any other end is a fault of the rewriter.
type machine struct {
	form  form
	rt    wazero.Runtime
	ctx   context.Context
	all   []*instance
	eager *eager // nil = nothing sets the flag

	resumed int // instances made of the memory and globals of another
}

// form is what is done to a module before it runs.
type form struct {
	name    string
	options *meter.Options // nil = nothing
	eager   int            // of a hundred checks, those that find the flag set; see eager
}

// original, and the forms of the rewriter.
var (
	original = form{name: "original"}
	forms    = []form{
		{"fast", &meter.Options{Form: meter.Fast, KeepData: true}, 0},
		{"patient", &meter.Options{Form: meter.Patient, KeepData: true}, 0},
		{"patient, every check ticks", &meter.Options{Form: meter.Patient, KeepData: true}, 100},
		{"counted", &meter.Options{Form: meter.Counted, KeepData: true}, 0},
	}
)

// limits are the defaults but for what one module of the suite has, a
// br_table of 24,615 targets: see TestSuite_LimitsRefuseOneModule.
var limits = admit.Limits{admit.Targets: 25_000}

const (
	budget = 1 << 20
	fuel   = 1 << 60
)

var (
	errDepth   = errors.New("stack budget used up")
	errStopped = errors.New("stopped, but nobody asked for it")
)

func newMachine(t *testing.T, f form, c wazero.RuntimeConfig) *machine {
	t.Helper()
	m := &machine{form: f, ctx: t.Context(), rt: wazero.NewRuntimeWithConfig(t.Context(), c)}
	t.Cleanup(func() { m.rt.Close(context.WithoutCancel(m.ctx)) })
	if f.eager > 0 {
		m.eager = newEager(f.eager)
	}
	tick := func(_ context.Context, caller api.Module, stack []uint64) {
		switch {
		case api.DecodeU32(stack[0]) > budget:
			panic(errDepth)
		case m.eager == nil:
			panic(errStopped)
		default:
			m.eager.tick(caller)
		}
	}
	_, err := m.rt.NewHostModuleBuilder("wasmill_meter").NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(tick), []api.ValueType{api.ValueTypeI32}, nil).Export("tick").Instantiate(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// instance is a running module and what its form needs to be run.
type instance struct {
	api.Module
	depth, fuel, flag api.MutableGlobal // nil if the form has none
}

// rewriteError is a refusal of a module before the compiler sees it: by the
// limits of admission or by the rewriter.
type rewriteError struct{ error }

// compile makes a module ready: if the form says so, it is held against the
// limits of admission and rewritten.
func (m *machine) compile(b []byte, listen experimental.FunctionListenerFactory) (wazero.CompiledModule, *meter.Result, error) {
	r := &meter.Result{Wasm: b}
	if m.form.options != nil {
		admitted, err := admit.Read(b, limits)
		if err != nil {
			return nil, nil, rewriteError{err}
		}
		if r, err = meter.Rewrite(admitted.Module, *m.form.options); err != nil {
			return nil, nil, rewriteError{err}
		}
		if m.eager != nil {
			r.Wasm = m.eager.rewrite(r.Wasm)
		}
	}
	ctx := m.ctx
	if listen != nil {
		ctx = experimental.WithFunctionListenerFactory(ctx, listen)
	}
	c, err := m.rt.CompileModule(ctx, r.Wasm)
	return c, r, err
}

// instantiate makes an instance: its data is applied and its start function
// has run.
func (m *machine) instantiate(c wazero.CompiledModule, r *meter.Result, name string) (*instance, error) {
	mod, err := m.rt.InstantiateModule(m.ctx, c, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
	if err != nil {
		return nil, err
	}
	i := &instance{Module: mod}
	i.depth, _ = mod.ExportedGlobal("wasmill:depth").(api.MutableGlobal)
	i.fuel, _ = mod.ExportedGlobal("wasmill:fuel").(api.MutableGlobal)
	i.flag, _ = mod.ExportedGlobal("wasmill:flag").(api.MutableGlobal)
	m.all = append(m.all, i)
	for _, d := range r.Data {
		mod.Memory().Write(d.At, d.Bytes)
	}
	m.reset()
	if r.Start != "" {
		if _, err := mod.ExportedFunction(r.Start).Call(m.ctx); err != nil {
			return i, err
		}
	}
	return i, nil
}

// reset makes all instances fit for the next call, also behind a trap: a host
// would discard them then, the suite goes on with them.
func (m *machine) reset() {
	for _, i := range m.all {
		if i.depth != nil {
			i.depth.Set(0)
		}
		if m.eager != nil {
			i.flag.Set(1)
		}
		if i.fuel != nil {
			i.fuel.Set(fuel)
		}
	}
}

func (m *machine) call(i *instance, name string, args ...uint64) ([]uint64, error) {
	f := i.ExportedFunction(name)
	if f == nil {
		return nil, errors.New("no function " + name)
	}
	m.reset()
	results, err := f.Call(m.ctx, args...)
	if err == nil && i.depth != nil && i.depth.Get() != 0 {
		return results, fmt.Errorf("%s returned, but %d bytes of its stack were not given back", name, i.depth.Get())
	}
	return results, err
}

// overflow is the end of a call by the stack budget.
const overflow = "stack budget used up"

var trapText = regexp.MustCompile(`wasm error: ([a-z ]+)`)

// kind is the class of a trap, as wazero calls it; other errors are their
// first line.
func kind(err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, errDepth) {
		return overflow
	}
	if t := trapText.FindStringSubmatch(err.Error()); t != nil {
		return t[1]
	}
	return err.Error()
}
