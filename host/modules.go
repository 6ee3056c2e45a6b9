package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

// compile builds and compiles the modules of all steps, side by side; steps
// that name the same one share it.
func (j *Job) compile(ctx context.Context) (err error) {
	builds, modules := "", "" // in the user's cache directory
	if dir := j.o.CacheDir; dir != "" {
		builds, modules = filepath.Join(dir, "builds"), filepath.Join(dir, "modules")
	}
	j.engine, err = guest.NewEngine(ctx, guest.EngineOptions{CacheDir: modules, Interpreter: build.Interpreter, MemoryLimit: uint64(j.Spec.Limits.Memory), CPU: j.Spec.Limits.CPU, Log: j.o.Log})
	if err != nil {
		return err
	}
	type compiled struct {
		module guest.Module
		err    error
	}
	byPath := map[string]*compiled{}
	for _, s := range j.Spec.Steps {
		if s.Wasm != "" && byPath[s.Wasm] == nil {
			byPath[s.Wasm] = new(compiled)
		}
	}
	var wg sync.WaitGroup
	for path, c := range byPath {
		wg.Go(func() {
			wasm, _, err := build.Resolve(ctx, path, build.Options{CacheDir: builds, Building: j.o.Building, Reads: j.o.Reads})
			if err == nil {
				c.module, err = j.engine.Compile(ctx, wasm, path)
			}
			c.err = err
		})
	}
	wg.Wait()
	var errs []error
	j.modules = make([]guest.Module, len(j.Spec.Steps))
	for i, s := range j.Spec.Steps {
		c := byPath[s.Wasm]
		if c == nil {
			continue
		}
		var machine *guest.MachineError
		if errors.As(c.err, &machine) {
			errs = append(errs, fmt.Errorf("step %s: %w", s.Name, c.err))
			continue
		}
		if c.err != nil {
			errs = append(errs, &ModuleError{File: j.Spec.File, Place: s.Place, Step: s.Name, Err: c.err})
			continue
		}
		j.modules[i] = c.module
	}
	return errors.Join(errs...)
}
