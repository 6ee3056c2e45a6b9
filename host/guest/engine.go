package guest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/host/guest/admit"
)

// DefaultMemory is the memory limit of an instance, in bytes.
const DefaultMemory = 64 << 20

// EngineOptions are the settings of an Engine. The zero value is usable.
type EngineOptions struct {
	// CacheDir holds compiled modules between processes. It is made with mode
	// 0700 and refused if others may write to it, for what is in it is run.
	// Default: wasmill/modules in the user's cache directory.
	CacheDir string

	// NoCache compiles in memory only; CacheDir is not used.
	NoCache bool

	// MemoryLimit is the most that the memory of an instance may grow to, in
	// bytes, rounded down to pages of 64 KiB. Default 64 MiB, at most 4 GiB.
	MemoryLimit uint64

	// Log gets what is wrong with the host itself. Default: slog's default.
	Log *slog.Logger

	// Now is the wall clock behind the limit on log lines. Default: time.Now.
	Now func() time.Time
}

// Engine compiles modules and runs their instances. It has one memory limit;
// jobs with different limits use different engines. It is safe for
// concurrent use.
type Engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	dir     string // of cache
	host    admit.Host
	memory  uint64
	log     *slog.Logger
	now     func() time.Time
	closed  atomic.Bool
}

// NewEngine returns an engine with the host functions in place. The engine
// must be closed.
func NewEngine(ctx context.Context, opts EngineOptions) (*Engine, error) {
	e := &Engine{memory: opts.MemoryLimit, log: opts.Log, now: opts.Now}
	if e.memory == 0 {
		e.memory = DefaultMemory
	}
	if e.memory > 1<<32 || e.memory < admit.PageSize {
		return nil, fmt.Errorf("guest: a memory limit of %d bytes is not between 64 KiB and 4 GiB", e.memory)
	}
	e.memory -= e.memory % admit.PageSize
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.now == nil {
		e.now = time.Now
	}
	if !opts.NoCache {
		if err := e.openCache(opts.CacheDir); err != nil {
			return nil, err
		}
	}
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(uint32(e.memory / admit.PageSize)).
		WithDebugInfoEnabled(false)
	if e.cache != nil {
		config = config.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	host, err := linkHost(ctx, e.runtime)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("guest: linking the host functions: %w", err), e.Close(ctx))
	}
	e.host = host
	return e, nil
}

// Close frees the engine with its modules and instances, none of which may
// be running.
func (e *Engine) Close(ctx context.Context) error {
	e.closed.Store(true)
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	if err != nil {
		return fmt.Errorf("guest: closing: %w", err)
	}
	return nil
}

// Compile checks and compiles a module. name says in messages what it is,
// for instance a step's path. The error says everything that is wrong with
// the module as a step; if ctx has ended, it is that of ctx. wasm is not kept.
func (e *Engine) Compile(ctx context.Context, wasm []byte, name string) (Module, error) {
	admitted, err := e.admit(wasm)
	if err != nil {
		return nil, fmt.Errorf("guest: module %s: %s", name, clean(err.Error(), 2000))
	}
	code, err := e.compile(ctx, admitted)
	if err != nil && e.dropDamaged(err) {
		code, err = e.compile(ctx, admitted)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("guest: module %s: compiling: %w", name, ctx.Err())
		}
		var path *fs.PathError
		if errors.As(err, &path) {
			return nil, fmt.Errorf("guest: module %s: keeping the compiled module: %w", name, err)
		}
		return nil, fmt.Errorf("guest: module %s does not compile: %s", name, clean(err.Error(), 2000))
	}
	return &module{engine: e, name: name, digest: Digest(wasm), code: code}, nil
}
