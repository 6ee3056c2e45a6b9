package guests_test

import (
	"context"
	"testing"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

// newEngine returns an engine that keeps what it compiles in dir; "" is where
// every engine of the user keeps it. close ends it.
func newEngine(b *testing.B, dir string) (e *guest.Engine, close func()) {
	b.Helper()
	ctx := context.WithoutCancel(b.Context())
	e, err := guest.NewEngine(ctx, guest.EngineOptions{CacheDir: dir, Interpreter: build.Interpreter})
	if err != nil {
		b.Fatal(err)
	}
	return e, func() {
		if err := e.Close(ctx); err != nil {
			b.Error(err)
		}
	}
}

// compile returns the language's module.
func (l *language) compile(b *testing.B, e *guest.Engine) guest.Module {
	b.Helper()
	m, err := e.Compile(b.Context(), l.wasm, l.name)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// runner is an instance of a language's program in one form, or a process that
// does the same natively.
type runner struct {
	language *language
	form     string // or "native"
	in       guest.Instance
	host     *hostCalls
	native   *child // of which there is no instance
	module   guest.Module
	kase     *kase
	over     bool      // a batch took longer than its quantum after all
	times    []float64 // nanoseconds a record, a round each
	fuel     float64   // a record, in the form counted
}

// The forms of metering: how they are asked for.
var forms = map[string]guest.Run{
	"fast":    {},
	"patient": {Patient: true},
	"counted": {Fuel: 1 << 62},
}

// start makes a runner. It ends with the engine.
func (l *language) start(b *testing.B, m guest.Module, c *kase, form string) *runner {
	b.Helper()
	r := &runner{language: l, form: form, host: newHost(), module: m, kase: c}
	r.begin(b)
	return r
}

// begin gives the runner a fresh instance.
func (r *runner) begin(b *testing.B) {
	b.Helper()
	in, err := r.module.Instantiate(b.Context(), r.kase.init(forms[r.form]), r.host)
	if err != nil {
		b.Fatalf("%s: %v (log: %s)", r.language.name, err, r.host.said)
	}
	r.in = in
}

// run has the instance do a batch.
func (r *runner) run(b *testing.B, records *wire.Batch) error {
	status, err := r.in.Batch(b.Context(), records)
	if err == nil && status != abi.OK {
		b.Fatalf("%s refuses the batch: %v (log: %s)", r.language.name, status, r.host.said)
	}
	return err
}
