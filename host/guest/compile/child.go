package compile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// argument makes a process a compiling child. It looks like a flag, so that
// a binary whose main does not begin with Main ends with a complaint.
const argument = "--wasmill-compile"

// Main serves one request if this process is a compiling child, and returns
// whether it is one: then main should return. It is the first thing that the
// main of a binary does which compiles modules, and the TestMain of a test.
func Main(ctx context.Context) bool {
	if len(os.Args) != 2 || os.Args[1] != argument {
		return false
	}
	serve(ctx, os.Stdin, os.Stdout)
	return true
}

// serve performs a request and answers it.
func serve(ctx context.Context, r io.Reader, w io.Writer) {
	var a answer
	e, err := perform(ctx, r)
	var faulty *ModuleError
	switch {
	case errors.As(err, &faulty):
		a.Module = faulty.Text
	case err != nil:
		a.Host = err.Error()
	default:
		a.Entry = e
	}
	// If nobody reads the answer, nobody needs it.
	_ = write(w, a)
}

// perform reads a request, limits this process as it asks, and compiles.
func perform(ctx context.Context, r io.Reader) (entry, error) {
	var q request
	if err := read(r, &q); err != nil {
		return entry{}, fmt.Errorf("reading the request: %w", err)
	}
	if err := limitSelf(q.CPU, q.Memory); err != nil {
		return entry{}, fmt.Errorf("limiting the compiler: %w", err)
	}
	debug.SetMemoryLimit(int64(q.Memory / 4 * 3)) // collect more before the limit kills
	wasm := make([]byte, q.Size)
	if _, err := io.ReadFull(r, wasm); err != nil {
		return entry{}, fmt.Errorf("reading the module: %w", err)
	}
	if sum := sha256.Sum256(wasm); hex.EncodeToString(sum[:]) != q.SHA256 {
		return entry{}, errors.New("the module came damaged")
	}
	if err := translate(ctx, q.Config, wasm, q.Dir); err != nil {
		return entry{}, err
	}
	made, err := only(q.Dir)
	if err != nil {
		return entry{}, err
	}
	stub, err := Stub(wasm)
	if err != nil {
		return entry{}, err
	}
	aside := filepath.Join(q.Dir, "stub")
	if err := translate(ctx, q.Config, stub, aside); err != nil {
		return entry{}, fmt.Errorf("a stub: %w", err)
	}
	named, err := only(aside)
	if err != nil {
		return entry{}, err
	}
	// Who loads the stub gets the machine code of the whole module.
	path := filepath.Join(filepath.Dir(made), filepath.Base(named))
	if err := os.Rename(made, path); err != nil {
		return entry{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return entry{}, err
	}
	defer f.Close()
	return measure(f, "")
}

// only returns the path of the entry below a directory of wazero's.
func only(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, versioned(), "*"))
	if err != nil || len(names) != 1 {
		return "", fmt.Errorf("the compiler left %d entries in %s, not 1", len(names), versioned())
	}
	return names[0], nil
}

// translate compiles wasm on all CPUs and leaves the entry below dir. A
// panic of the compiler is the module's fault.
func translate(ctx context.Context, c Config, wasm []byte, dir string) (err error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = &ModuleError{fmt.Sprintf("the compiler failed: %v", r)}
		}
	}()
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	_, err = wazero.NewRuntimeWithConfig(ctx, c.runtime().WithCompilationCache(cache)).CompileModule(ctx, wasm)
	var system syscall.Errno // of a file
	if err != nil && !errors.As(err, &system) {
		err = &ModuleError{err.Error()}
	}
	return err // what is not closed ends with the process
}
