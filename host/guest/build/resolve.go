// Package build turns what a job file says under wasm into the bytes of a
// module: it reads a .wasm file, or builds a directory with source on demand
// and keeps the result by the content of the source.
package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/guest"
)

// maxModule is the largest module that is read, in bytes.
const maxModule = 256 << 20

// Options are the settings of Resolve. The zero value is usable.
type Options struct {
	// CacheDir keeps built modules. It is made with mode 0700 and refused if
	// others may write to it. Default: wasmill/builds in the user's cache
	// directory.
	CacheDir string

	// Building is called before a directory is really built, which takes
	// seconds. Default: nothing.
	Building func(dir string)
}

// Resolve returns the module that path names and its digest. A directory is
// built unless nothing that the build reads has changed since the last time.
func Resolve(ctx context.Context, path string, opts Options) (wasm []byte, digest string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("build: %s does not exist: name a directory with source or a .wasm file", path)
	case err != nil:
		return nil, "", fmt.Errorf("build: %w", err)
	case info.IsDir():
		wasm, err = resolveDir(ctx, path, opts)
	default:
		wasm, err = readModule(path, info.Size())
	}
	if err != nil {
		return nil, "", err
	}
	return wasm, guest.Digest(wasm), nil
}

func readModule(path string, size int64) ([]byte, error) {
	switch {
	case strings.HasSuffix(path, ".wasmill"):
		return nil, fmt.Errorf("build: %s: archives are not supported by this build: name a directory with source or a .wasm file", path)
	case !strings.HasSuffix(path, ".wasm"):
		return nil, fmt.Errorf("build: %s is neither a directory with source nor a .wasm file", path)
	case size > maxModule:
		return nil, fmt.Errorf("build: %s has %d bytes, a module at most %d", path, size, maxModule)
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	return wasm, nil
}

// resolveDir tells the language of a directory by what is in it.
func resolveDir(ctx context.Context, dir string, opts Options) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" }) {
		return resolveGo(ctx, dir, opts)
	}
	for _, other := range []struct{ file, language, command string }{
		{"Cargo.toml", "Rust", "cargo build --release --target wasm32-wasip1"},
		{"package.json", "JavaScript", "its own tools"},
		{"pyproject.toml", "Python", "its own tools"},
	} {
		if _, err := os.Stat(filepath.Join(dir, other.file)); err == nil {
			return nil, fmt.Errorf("build: %s holds %s, and this build knows Go alone: build it with %s and name the .wasm file", dir, other.language, other.command)
		}
	}
	return nil, fmt.Errorf("build: %s holds no Go source: this build knows Go alone (a directory with a main package and a go.mod); otherwise name a .wasm file", dir)
}
