package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// goArgs build a reactor for WASI. Names of functions stay, so that traps can
// tell where they are; debug data goes, which is most of a module's bytes.
var goArgs = []string{"build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-w"}

// goVars are what the user's environment must not decide. The value of
// GOFLAGS is not empty because an empty one falls back to what go env -w wrote.
var goVars = []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOEXPERIMENT=", "GOWASM=", "GO111MODULE=on"}

// resolveGo returns the module of the Go main package in dir, which has a
// go.mod or lies below one.
func resolveGo(ctx context.Context, dir string, opts Options) ([]byte, error) {
	root, err := moduleRoot(dir)
	if err != nil {
		return nil, err
	}
	tool, err := findGo(ctx)
	if err != nil {
		return nil, fmt.Errorf("build: %s: %w", dir, err)
	}
	key, err := sourceKey(root, dir, tool.version)
	if err != nil {
		return nil, fmt.Errorf("build: %s: reading the source: %w", dir, err)
	}
	c, err := openCache(opts.CacheDir)
	if err != nil {
		return nil, err
	}
	if wasm, ok := c.get(key); ok {
		return wasm, nil
	}
	if opts.Building != nil {
		opts.Building(dir)
	}
	return c.put(key, func(out string) error { return runGo(ctx, tool.path, dir, out) })
}

// moduleRoot returns the directory of the go.mod that dir belongs to.
func moduleRoot(dir string) (string, error) {
	for at := dir; ; {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && info.Mode().IsRegular() {
			return at, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", fmt.Errorf("build: %s has Go source but no go.mod: run go mod init there, or name a .wasm file", dir)
		}
		at = up
	}
}

// toolchain is the go command and the version that it reports.
type toolchain struct{ path, version string }

// findGo finds the go command. Its version comes from the VERSION file of its
// tree, because running it would cost more than all the rest of a build that
// is cached.
func findGo(ctx context.Context) (toolchain, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return toolchain{}, errors.New("building it needs the go command, which is not in PATH: install Go 1.26 or later from https://go.dev/dl (or the package golang of your system), or name a .wasm file")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(real)), "VERSION")); err == nil {
			version, _, _ := strings.Cut(string(text), "\n")
			return toolchain{path, version}, nil
		}
	}
	out, err := exec.CommandContext(ctx, path, "env", "GOVERSION").Output()
	if err != nil {
		return toolchain{}, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	return toolchain{path, strings.TrimSpace(string(out))}, nil
}

// runGo builds the package in dir into the file out.
func runGo(ctx context.Context, tool, dir, out string) error {
	args := append(append([]string{}, goArgs...), "-o", out, ".")
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), goVars...) // of two values the later counts
	cmd.WaitDelay = 5 * time.Second
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("build: go build in %s: %w\n%s", dir, err, shorten(bytes.TrimSpace(text)))
	}
	return nil
}

// shorten keeps the first 16 KiB of a compiler's output.
func shorten(text []byte) []byte {
	const most = 16 << 10
	if len(text) <= most {
		return text
	}
	return append(text[:most:most], fmt.Sprintf("\n… and %d bytes more", len(text)-most)...)
}
