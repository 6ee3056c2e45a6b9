package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// Cache is a directory of compiled modules that were verified, and wazero's
// cache over it. It is safe for concurrent use, also by several processes.
type Cache struct {
	o      Options
	root   string // the user's, or the temporary one
	dir    string // handed to wazero
	wazero wazero.CompilationCache

	loading [64]chan struct{} // locks: see Load
}

// Open opens a cache and removes what is not used any more, see cachedir.Sweep.
// The cache must be closed, after the runtimes that use it.
func Open(o Options) (*Cache, error) {
	o.setDefaults()
	c := &Cache{o: o}
	for i := range c.loading {
		c.loading[i] = make(chan struct{}, 1)
	}
	var err error
	if o.Temporary {
		if c.root, err = os.MkdirTemp("", "wasmill-modules-"); err != nil {
			return nil, fmt.Errorf("compile: a directory for compiled modules: %w; set TMPDIR to a place that can be written to", err)
		}
	} else {
		if c.root, err = cachedir.Make(o.Dir, "modules"); err != nil {
			return nil, fmt.Errorf("compile: %w", err)
		}
		cachedir.Sweep(c.root, compiling)
	}
	c.dir = c.root
	if o.DebugInfo {
		c.dir = filepath.Join(c.root, "debug")
	}
	if c.wazero, err = wazero.NewCompilationCacheWithDir(c.dir); err != nil {
		return nil, errors.Join(fmt.Errorf("compile: opening the directory for compiled modules: %w", err), c.discard())
	}
	return c, nil
}

// Dir is the directory of the cache. What others keep of modules below it counts
// and is removed as its own: see cachedir.Sweep and cachedir.Touch.
func (c *Cache) Dir() string { return c.root }

// Runtime returns the configuration of runtimes for Load.
func (c *Cache) Runtime() wazero.RuntimeConfig {
	return c.o.runtime().WithCompilationCache(c.wazero)
}

// Close frees the machine code that wazero holds, and removes a temporary
// directory. It may be called again.
func (c *Cache) Close(ctx context.Context) error {
	if err := errors.Join(c.wazero.Close(ctx), c.discard()); err != nil {
		return fmt.Errorf("compile: closing the compiled modules: %w", err)
	}
	return nil
}

func (c *Cache) discard() error {
	if !c.o.Temporary {
		return nil
	}
	return os.RemoveAll(c.root)
}

// entries returns the directory in which wazero keeps its entries.
func (c *Cache) entries() string { return filepath.Join(c.dir, versioned()) }
