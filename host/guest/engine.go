package guest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest/admit"
	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/guest/sched"
	"github.com/wasmill/wasmill/host/guest/wasm"
	"github.com/wasmill/wasmill/host/guest/watchdog"
)

// DefaultMemory is the memory limit of an instance, in bytes.
const DefaultMemory = 64 << 20

// EngineOptions are the settings of an Engine. The zero value is usable.
type EngineOptions struct {
	// CacheDir holds compiled modules and images between processes. It is
	// made with mode 0700 and refused if it is not the user's or others may
	// write to it, for what is in it is run. Default: wasmill/modules in the
	// user's cache directory.
	CacheDir string

	// NoCache keeps nothing between processes; CacheDir is not used.
	NoCache bool

	// MemoryLimit is the most that the memory of an instance may grow to, in
	// bytes, rounded down to pages of 64 KiB. Default 64 MiB, at most 4 GiB
	// less a page.
	MemoryLimit uint64

	// Tenant pays for the memory and the CPU time of the instances. Default: a
	// tenant of the engine's own, without limits.
	Tenant *Tenant

	// CPU is the CPU time a second that the engine's instances may use
	// together. Default: no limit but the tenant's.
	CPU time.Duration

	// Weight is the part of the CPU that the engine's instances get among the
	// engines of the tenant while there is too little. Default 1.
	Weight int

	// Interpreter returns the bytes of an interpreter that an archive names
	// and does not hold, with exactly the digest that it names: that is not
	// looked at again. It is called when what is kept on disk is not enough.
	// Default: such archives are refused.
	Interpreter func(context.Context, archive.Interpreter) ([]byte, error)

	// Log gets what is wrong with the host itself. Default: slog's default.
	Log *slog.Logger

	// Now is the wall clock behind the limit on log lines. Default: time.Now.
	Now func() time.Time
}

// Engine compiles modules and runs their instances. It is what a job has: one
// memory limit, one share of the CPU. It is safe for concurrent use.
type Engine struct {
	runtime wazero.Runtime
	cache   *compile.Cache
	images  images
	kept    kept
	host    admit.Host
	memory  uint64
	tenant  *Tenant
	own     bool // tenant is the engine's own
	share   *sched.Share
	shares  map[place]*sched.Share // of instances, by where they run
	mu      sync.Mutex             // guards shares
	dog     *watchdog.Dog
	log     *slog.Logger
	now     func() time.Time
	closed  atomic.Bool

	interpreter func(context.Context, archive.Interpreter) ([]byte, error)
}

// place is where an instance runs: one that replaces another has its share,
// and so what that has used.
type place struct {
	step string
	task int
}

func (e *Engine) shareOf(config Init) *sched.Share {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := place{config.Step, config.Task}
	s := e.shares[at]
	if s == nil {
		s = scheduler().Share(e.share, sched.Options{Name: at.step})
		e.shares[at] = s
	}
	return s
}

// NewEngine returns an engine with the host functions in place. The engine
// must be closed.
func NewEngine(ctx context.Context, opts EngineOptions) (*Engine, error) {
	e := &Engine{memory: opts.MemoryLimit, tenant: opts.Tenant, shares: map[place]*sched.Share{}, log: opts.Log, now: opts.Now, interpreter: opts.Interpreter}
	if e.memory == 0 {
		e.memory = DefaultMemory
	}
	if e.memory > 1<<32 || e.memory < wasm.PageSize {
		return nil, fmt.Errorf("guest: a memory limit of %d bytes is not between 64 KiB and 4 GiB", e.memory)
	}
	e.memory = min(e.memory-e.memory%wasm.PageSize, wasm.MostPages*wasm.PageSize)
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.now == nil {
		e.now = time.Now
	}
	var err error
	if e.dog, err = watchdog.Shared(); err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	if e.cache, err = compile.Open(compile.Options{Config: compile.Config{DebugInfo: true}, Dir: opts.CacheDir, Temporary: opts.NoCache}); err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	if e.tenant == nil {
		e.tenant, e.own = NewTenant(TenantOptions{Name: "default"}), true
	}
	e.share = scheduler().Share(e.tenant.share, sched.Options{Name: "engine", Weight: opts.Weight, Rate: opts.CPU})
	e.images.log = e.log
	e.runtime = wazero.NewRuntimeWithConfig(ctx, e.cache.Runtime())
	if e.host, err = linkHost(ctx, e.runtime); err != nil {
		return nil, errors.Join(fmt.Errorf("guest: linking the host functions: %w", err), e.Close(ctx))
	}
	if opts.NoCache {
		return e, nil
	}
	if err := errors.Join(e.keepModules(e.cache.Dir()), e.images.keepIn(e.cache.Dir())); err != nil {
		return nil, errors.Join(fmt.Errorf("guest: %w", err), e.Close(ctx))
	}
	return e, nil
}

// Close frees the engine with its modules and instances, none of which may
// be running.
func (e *Engine) Close(ctx context.Context) error {
	e.closed.Store(true)
	err := e.runtime.Close(ctx)
	err = errors.Join(err, e.cache.Close(ctx), e.images.close())
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.shares {
		s.Close()
	}
	e.share.Close()
	if e.own {
		e.tenant.Close()
	}
	if err != nil {
		return fmt.Errorf("guest: closing: %w", err)
	}
	return nil
}

// CPU returns what the engine's instances have had of the CPU.
func (e *Engine) CPU() sched.Stats { return e.share.Stats() }

// Compile checks, rewrites and compiles a module, or an archive with the
// interpreter that it names. name says in messages what it is, for instance a
// step's path. The error says everything that is wrong with the module as a
// step; if ctx has ended, it is that of ctx. b is kept and must not change.
func (e *Engine) Compile(ctx context.Context, b []byte, name string) (Module, error) {
	m, err := e.open(b, name)
	if err != nil {
		return nil, err
	}
	f, err := m.form(ctx, fast)
	if err != nil {
		return nil, errors.Join(err, m.Close(ctx))
	}
	_, marked := f.code.ExportedFunctions()[abi.ExportMarker]
	m.program = !marked
	if m.app != nil && m.program != (m.app.Carrier == archive.Frames) {
		return nil, errors.Join(fmt.Errorf("guest: module %s: its interpreter does not speak by the carrier %q that the archive names", name, m.app.Carrier), m.Close(ctx))
	}
	return m, nil
}

// open returns the module that b is, or that b as an archive runs on.
func (e *Engine) open(b []byte, name string) (*module, error) {
	if !archive.Is(b) {
		digest := Digest(b)
		read := func(context.Context) ([]byte, error) { return b, nil }
		return &module{engine: e, name: name, digest: digest, code: digest, original: original{read: read}}, nil
	}
	app, err := archive.Read(b)
	if err != nil {
		return nil, fmt.Errorf("guest: module %s: %w", name, err)
	}
	m := &module{engine: e, name: name, digest: Digest(b), code: app.Interpreter.Digest, app: app}
	if app.Wasm == nil && e.interpreter == nil {
		return nil, fmt.Errorf("guest: module %s: its interpreter %s %s is not in the archive, and nothing is set up to find it", name, app.Interpreter.Name, app.Interpreter.Version)
	}
	m.original.read = func(ctx context.Context) ([]byte, error) {
		if app.Wasm != nil {
			return app.Wasm, nil
		}
		code, err := e.interpreter(ctx, app.Interpreter)
		if err != nil {
			return nil, &InterpreterError{err}
		}
		return code, nil
	}
	return m, nil
}
