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
	facts
	code wazero.CompiledModule

	mu      sync.Mutex
	offsets *meter.Map // from its code to the original's; made when first asked for
}

// forms are those of one module that somebody has asked for.
type forms struct {
	mu   sync.Mutex
	have [3]*form
}

// facts are what the host must know of a rewritten module.
type facts struct {
	Start   string         `json:"start"` // see meter.Result, as for Globals and Whole
	Globals []meter.Global `json:"globals"`
	Whole   bool           `json:"whole"`
	Lines   bool           `json:"lines"` // the module has debug data that is of use
	Funcs   functions      `json:"functions"`
	Data    []segment      `json:"-"`
}

// functions are how many functions a module has: what is needed to tell them in
// a stack.
type functions struct {
	Imported int `json:"imported"`
	Own      int `json:"own"`
}

// segment is an active data segment: size bytes of the original module.
type segment struct{ at, from, size uint32 }

// rewritten is a module in a form before it is loaded. wasm is nil if it comes
// from disk, where only its stub is kept.
type rewritten struct {
	facts
	stub, wasm []byte
}

// meterOptions are the same for every module of this build: they are part of
// what an image fits to.
func meterOptions(f meter.Form) meter.Options {
	return meter.Options{Form: f, Stack: stackBudget}
}

// rewritten returns the module in a form, from disk if it is kept there, else
// rewritten anew.
func (m *module) rewritten(ctx context.Context, f meter.Form) (*rewritten, error) {
	o := meterOptions(f)
	r, err := m.engine.kept.get(m.code, o)
	if err == nil {
		return r, nil
	}
	if errors.Is(err, errKept) {
		m.engine.log.Warn("a rewritten module is made again, because it is damaged", "module", m.digest)
	}
	if r, err = m.rewrite(ctx, o); err != nil {
		return nil, err
	}
	if err := m.engine.kept.put(m.code, o, r); err != nil {
		m.engine.log.Warn("a rewritten module is not kept", "module", m.digest, "error", err)
	}
	return r, nil
}

// rewrite admits and rewrites the module.
func (m *module) rewrite(ctx context.Context, o meter.Options) (*rewritten, error) {
	admitted, debug, err := m.parsed(ctx)
	if err != nil {
		return nil, err
	}
	o.Lines = debug != nil
	res, err := meter.Rewrite(admitted, o)
	if err != nil {
		return nil, err
	}
	r := &rewritten{facts: facts{Start: res.Start, Globals: res.Globals, Whole: res.Whole, Lines: o.Lines}, wasm: res.Wasm}
	r.Funcs = functions{Imported: admitted.ImportedFuncs, Own: len(admitted.Funcs)}
	for _, d := range res.Data {
		r.Data = append(r.Data, segment{d.At, d.From, uint32(len(d.Bytes))})
	}
	r.stub, err = compile.Stub(r.wasm)
	return r, err
}

// offsetsOf returns what takes places in the code of a form to the original's.
// It is a few per cent of the code and kept until the module is closed, since a
// trap rarely comes alone.
func (m *module) offsetsOf(ctx context.Context, f *form, o meter.Options) *meter.Map {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.offsets == nil {
		admitted, _, err := m.parsed(ctx)
		if err != nil { // it was admitted before
			return nil
		}
		o.Lines = true
		if f.offsets, err = meter.OffsetMap(admitted, o); err != nil { // it was rewritten before
			return nil
		}
	}
	return f.offsets
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
	r, err := m.rewritten(ctx, f)
	var missing *InterpreterError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("guest: module %s: %w", m.name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("guest: module %s: %s", m.name, clean(err.Error(), 2000))
	}
	code, err := m.load(ctx, r, meterOptions(f))
	if err != nil {
		return nil, err
	}
	made := &form{facts: r.facts, code: code}
	m.forms.have[f] = made
	return made, nil
}

// load returns the machine code of what was rewritten.
func (m *module) load(ctx context.Context, r *rewritten, o meter.Options) (wazero.CompiledModule, error) {
	whole := func() ([]byte, error) {
		if r.wasm != nil {
			return r.wasm, nil
		}
		again, err := m.rewrite(ctx, o)
		if err != nil {
			return nil, err
		}
		return again.wasm, nil
	}
	code, err := m.engine.cache.Load(ctx, m.engine.runtime, compile.Module{Stub: r.stub, Whole: whole})
	var missing *InterpreterError
	var bad *compile.ModuleError
	switch {
	case err == nil:
		return code, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("guest: module %s: compiling: %w", m.name, ctx.Err())
	case errors.As(err, &missing):
		return nil, fmt.Errorf("guest: module %s: %w", m.name, err)
	case errors.As(err, &bad):
		return nil, fmt.Errorf("guest: module %s does not compile: %s", m.name, clean(err.Error(), 2000))
	}
	return nil, &MachineError{fmt.Errorf("guest: module %s: compiling: %w", m.name, err)}
}

// MachineError is an error of the machine that this runs on, such as a full
// disk: another try may pass, and the module is not to blame.
type MachineError struct{ Err error }

func (e *MachineError) Error() string { return e.Err.Error() }

func (e *MachineError) Unwrap() error { return e.Err }

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
