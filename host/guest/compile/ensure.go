package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// Ensure makes sure that a runtime with the configuration of Runtime finds
// the machine code of wasm in the cache, so that its CompileModule reads and
// validates but does not compile. If there is none, or it is damaged, it is
// compiled by a child.
//
// What is the module's fault is a *ModuleError. If ctx has ended, it is the
// error of ctx; any other error is one of the machine that this runs on. A
// good entry is not removed, and a damaged one only if none could be made in its
// place, so that another process that has verified it before finds it too.
func (c *Cache) Ensure(ctx context.Context, wasm []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, key := c.entries(), key(wasm)
	var err error
	for range 3 { // two that install at once may mix their files up
		var e entry
		if e, err = verify(dir, key); err == nil {
			cachedir.Touch(filepath.Join(dir, e.Name), filepath.Join(dir, key+".record"))
			return nil
		}
		if made := c.make(ctx, wasm, dir, key); made != nil {
			if errors.Is(err, errDamaged) {
				made = errors.Join(made, remove(dir, key))
			}
			return made
		}
	}
	if _, err = verify(dir, key); err != nil {
		return errors.Join(fmt.Errorf("keeping the compiled module in %s: %w", dir, err), remove(dir, key))
	}
	return nil
}

// compiling begins the names of the directories in which children work.
const compiling = "compiling-"

// make compiles wasm in a child and puts the result into dir.
func (c *Cache) make(ctx context.Context, wasm []byte, dir, key string) (err error) {
	err = os.MkdirAll(c.root, 0o700) // somebody may have emptied the cache
	if err != nil {
		return fmt.Errorf("keeping the compiled module: %w", err)
	}
	scratch, err := os.MkdirTemp(c.root, compiling)
	if err != nil {
		return fmt.Errorf("keeping the compiled module: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	e, err := c.o.run(ctx, wasm, scratch)
	if err != nil {
		return err
	}
	if err := install(filepath.Join(scratch, versioned(), e.Name), dir, key, e); err != nil {
		return fmt.Errorf("keeping the compiled module: %w", err)
	}
	return nil
}
