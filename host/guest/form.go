package guest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/guest/meter"
)

// The forms of a module.
const (
	fast    = meter.Fast
	patient = meter.Patient
	counted = meter.Counted
)

// form is a module rewritten and compiled in one form.
type form struct {
	*meter.Result
	code    wazero.CompiledModule
	lines   bool              // the module has debug data that is of use
	offsets func() *meter.Map // from its code to the original's; made when first asked for
}

// forms are those of one module that somebody has asked for.
type forms struct {
	mu   sync.Mutex
	have [3]*form
}

// meterOptions are the same for every module of this build: they are part of
// what an image fits to.
func meterOptions(f meter.Form) meter.Options {
	return meter.Options{Form: f, Stack: stackBudget}
}

// rewritten returns the module in a form, from disk if it is kept there, else
// admitted and rewritten anew.
func (m *module) rewritten(f meter.Form) (r *meter.Result, lines bool, err error) {
	o := meterOptions(f)
	if r, lines, err = m.engine.kept.get(m.original, m.code, o); err == nil {
		return r, lines, nil
	}
	if errors.Is(err, errKept) {
		m.engine.log.Warn("a rewritten module is made again, because it is damaged", "module", m.digest)
	}
	admitted, err := m.parsed()
	if err != nil {
		return nil, false, err
	}
	o.Lines = m.debug() != nil
	if r, err = meter.Rewrite(admitted, o); err != nil {
		return nil, false, err
	}
	if err := m.engine.kept.put(m.code, o, r, o.Lines); err != nil {
		m.engine.log.Warn("a rewritten module is not kept", "module", m.digest, "error", err)
	}
	return r, o.Lines, nil
}

// offsets returns what makes the map from the code of a form to the
// original's, once. It is a few per cent of the code and kept until the module
// is closed, since a trap rarely comes alone.
func (m *module) offsets(f meter.Form) func() *meter.Map {
	return sync.OnceValue(func() *meter.Map {
		admitted, err := m.parsed()
		if err != nil { // it was admitted before
			return nil
		}
		o := meterOptions(f)
		o.Lines = true
		at, err := meter.OffsetMap(admitted, o)
		if err != nil { // it was rewritten before
			return nil
		}
		return at
	})
}

// stackBudget is what the calls of an instance may take of its stack, in bytes.
const stackBudget = 1 << 20

// form returns the module in one of its forms, which is compiled when it is
// first asked for.
func (m *module) form(ctx context.Context, f meter.Form) (*form, error) {
	m.forms.mu.Lock()
	defer m.forms.mu.Unlock()
	if have := m.forms.have[f]; have != nil {
		return have, nil
	}
	r, lines, err := m.rewritten(f)
	if err != nil {
		return nil, fmt.Errorf("guest: module %s: %s", m.name, clean(err.Error(), 2000))
	}
	code, err := m.engine.compile(ctx, r.Wasm, m.name)
	if err != nil {
		return nil, err
	}
	r.Wasm = nil // the compiled code is enough
	made := &form{Result: r, code: code, lines: lines, offsets: m.offsets(f)}
	m.forms.have[f] = made
	return made, nil
}

// compile compiles what was rewritten.
func (e *Engine) compile(ctx context.Context, wasm []byte, name string) (code wazero.CompiledModule, err error) {
	if err = e.cache.Ensure(ctx, wasm); err == nil {
		code, err = e.load(ctx, wasm)
	}
	if err == nil {
		return code, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("guest: module %s: compiling: %w", name, ctx.Err())
	}
	var bad *compile.ModuleError
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("guest: module %s does not compile: %s", name, clean(err.Error(), 2000))
	}
	return nil, &MachineError{fmt.Errorf("guest: module %s: compiling: %w", name, err)}
}

// MachineError is an error of the machine that this runs on, such as a full
// disk: another try may pass, and the module is not to blame.
type MachineError struct{ Err error }

func (e *MachineError) Error() string { return e.Err.Error() }

func (e *MachineError) Unwrap() error { return e.Err }

// load reads the machine code. A panic of wazero is an error.
//
// The same module is never loaded twice at a time: wazero shows what it has
// read from its cache to others before it is whole, and they would make
// instances of a part of it. Modules of one length share a lock.
func (e *Engine) load(ctx context.Context, wasm []byte) (code wazero.CompiledModule, err error) {
	loading := &e.loading[len(wasm)%len(e.loading)]
	loading.Lock()
	defer loading.Unlock()
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, fmt.Errorf("the compiler failed: %v", r)
		}
	}()
	return e.runtime.CompileModule(ctx, wasm)
}

// close frees what was compiled.
func (f *forms) close(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for i, have := range f.have {
		if have != nil {
			errs = append(errs, have.code.Close(ctx))
			f.have[i] = nil
		}
	}
	return errors.Join(errs...)
}
