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

// Load returns a module as rt has it, whose configuration is that of Runtime.
// Its machine code is what the cache has; if that has none, or what it has is
// damaged, the module is compiled by a child.
//
// What is the module's fault is a *ModuleError. If ctx has ended, the error is
// that of ctx, and if m.Whole was called and failed, its error; any other one
// is of the machine that this runs on.
func (c *Cache) Load(ctx context.Context, rt wazero.Runtime, m Module) (wazero.CompiledModule, error) {
	// The same module is never loaded twice at a time: wazero shows what it has
	// read from its cache to others before it is whole, and they would make
	// instances of a part of it. Stubs of one length share a lock.
	loading := c.loading[len(m.Stub)%len(c.loading)]
	select {
	case loading <- struct{}{}:
		defer func() { <-loading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var err error
	for range 3 { // somebody may remove what was verified
		var code wazero.CompiledModule
		if code, err = c.try(ctx, rt, m); !errors.Is(err, errGone) {
			return code, err
		}
	}
	return nil, fmt.Errorf("reading the compiled module in %s: %w again and again", c.entries(), err)
}

// errGone says that wazero may not have read what was verified.
var errGone = errors.New("it was removed")

// try loads a module. The error is errGone if another try may pass.
func (c *Cache) try(ctx context.Context, rt wazero.Runtime, m Module) (wazero.CompiledModule, error) {
	verified, err := c.ensure(ctx, m)
	if err != nil {
		return nil, err
	}
	defer verified.Close() // until then no other file gets its number
	code, err := load(ctx, rt, m.Stub)
	if err != nil {
		forget(ctx, rt, m.Stub)
	}
	was, unknown := verified.Stat()
	found, gone := os.Stat(verified.Name())
	switch {
	case unknown != nil || gone != nil || !os.SameFile(found, was):
		// If wazero has not found it, it has compiled the stub instead, which
		// does nothing, and that is what lies there now.
		if code != nil {
			err = code.Close(ctx)
		}
		return nil, errors.Join(errGone, err)
	case err != nil:
		return nil, err
	}
	return code, nil
}

// forget takes what wazero may hold of a stub that it could not load: if it has
// compiled it and then cannot keep the result, it gives the result to whoever
// asks next.
func forget(ctx context.Context, rt wazero.Runtime, stub []byte) {
	for range 3 { // it may fail in the same way again
		if code, err := load(ctx, rt, stub); err == nil {
			_ = code.Close(ctx) // what was counted for this one
			_ = code.Close(ctx) // and for the one that failed
			return
		}
	}
}

// load reads machine code. A panic of wazero is an error.
func load(ctx context.Context, rt wazero.Runtime, stub []byte) (code wazero.CompiledModule, err error) {
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, fmt.Errorf("the compiler failed: %v", r)
		}
	}()
	return rt.CompileModule(ctx, stub)
}

// ensure makes sure that wazero finds the machine code of a module when it is
// given its stub, and returns the file that it is in, open. A good entry is not
// removed, and a damaged one only if none could be made in its place, so that
// another process that has verified it before finds it too.
func (c *Cache) ensure(ctx context.Context, m Module) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, key := c.entries(), key(m.Stub)
	var err error
	for range 3 { // two that install at once may mix their files up
		var file *os.File
		if file, err = verify(dir, key); err == nil {
			cachedir.Touch(file.Name(), filepath.Join(dir, key+".record"))
			return file, nil
		}
		if made := c.make(ctx, m, dir, key); made != nil {
			if errors.Is(err, errDamaged) {
				made = errors.Join(made, remove(dir, key))
			}
			return nil, made
		}
	}
	file, err := verify(dir, key)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keeping the compiled module in %s: %w", dir, err), remove(dir, key))
	}
	return file, nil
}

// compiling begins the names of the directories in which children work.
const compiling = "compiling-"

// make compiles a module in a child and puts the result into dir.
func (c *Cache) make(ctx context.Context, m Module, dir, key string) (err error) {
	wasm, err := m.Whole()
	if err != nil {
		return err
	}
	if err := m.check(wasm); err != nil {
		return err
	}
	if err := os.MkdirAll(c.root, 0o700); err != nil { // somebody may have emptied the cache
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
