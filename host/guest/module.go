package guest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/debugdata"
	"github.com/wasmill/wasmill/host/guest/wasm"
)

// module is a WebAssembly module that was admitted: a step's own, or the
// interpreter of an archive.
type module struct {
	engine   *Engine
	name     string
	digest   string           // of the step: of the archive if there is one
	code     string           // digest of the module itself
	app      *archive.Archive // nil for a step's own module
	program  bool             // it has _start, and no functions to call
	forms    forms
	original original
}

// original is a module as it came. What is kept on disk is enough for most
// starts: only some ask for its bytes.
type original struct {
	read func(context.Context) ([]byte, error)

	mu     sync.Mutex
	wasm   []byte // nil until somebody asks
	parsed *wasm.Module
	debug  *debugdata.Data // nil if there is none
}

// InterpreterError says why the interpreter of an archive could not be had. The
// archive is not to blame.
type InterpreterError struct{ Err error }

func (e *InterpreterError) Error() string { return "its interpreter: " + e.Err.Error() }

func (e *InterpreterError) Unwrap() error { return e.Err }

// bytes returns the module.
func (m *module) bytes(ctx context.Context) ([]byte, error) {
	o := &m.original
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes(ctx)
}

func (o *original) bytes(ctx context.Context) (_ []byte, err error) {
	if o.wasm == nil {
		o.wasm, err = o.read(ctx)
	}
	return o.wasm, err
}

// parsed returns the module, admitted, and its debug data, nil if it has none.
func (m *module) parsed(ctx context.Context) (*wasm.Module, *debugdata.Data, error) {
	o := &m.original
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.parsed == nil {
		b, err := o.bytes(ctx)
		if err != nil {
			return nil, nil, err
		}
		if o.parsed, err = m.engine.admit(b); err != nil {
			return nil, nil, err
		}
		o.debug = debugDataOf(o.parsed)
	}
	return o.parsed, o.debug, nil
}

func (m *module) Digest() string { return m.digest }

// Close frees the compiled code. Its instances must be closed before.
func (m *module) Close(ctx context.Context) error {
	if err := m.forms.close(ctx); err != nil {
		return fmt.Errorf("guest: module %s: closing: %w", m.name, err)
	}
	return nil
}

// Instantiate makes an instance, from an image of an earlier one if there is
// one that began with the same config. Otherwise the start function and
// _initialize run if the module has them, then wasmill_init with config. What
// goes wrong in them is a *Trap of kind TrapInit.
func (m *module) Instantiate(ctx context.Context, config Init, calls Calls) (Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	config.ABIMinor = abi.Minor
	config.Limits = config.Limits.WithDefaults()
	l := &config.Limits
	if l.Memory == 0 || l.Memory > m.engine.memory {
		l.Memory = m.engine.memory
	}
	l.LogRate = max(l.LogRate, 0)
	for _, names := range []*[]string{&config.Inputs, &config.Outputs, &config.Stores, &config.Lookups} {
		if *names == nil {
			*names = []string{} // an empty array, not null
		}
	}
	payload, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("guest: module %s: the configuration is not JSON: %w", m.name, err)
	}
	s := &starter{module: m, config: config, payload: payload, calls: calls}
	return s.start(ctx)
}

// WithDefaults returns the limits with those of abi where they are 0, but for
// Memory, of which the engine knows.
func (l Limits) WithDefaults() Limits {
	for _, d := range []struct {
		limit *int
		value int
	}{
		{&l.Record, abi.MaxRecord}, {&l.Batch, abi.MaxBatch}, {&l.Emit, abi.MaxEmit}, {&l.Key, abi.MaxKey},
		{&l.StateValue, abi.MaxStateValue}, {&l.LogRate, abi.MaxLogRate},
	} {
		if *d.limit == 0 {
			*d.limit = d.value
		}
	}
	return l
}
