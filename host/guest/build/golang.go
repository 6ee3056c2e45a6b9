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
)

var golang = &language{
	name: "Go", marks: "*.go with a go.mod", ext: ".wasm",
	detect:  func(names map[string]bool) bool { return hasExt(names, ".go") },
	prepare: prepareGo,
}

// goArgs build a reactor for WASI. Names of functions stay, so that traps can
// tell where they are; debug data goes, which is most of a module's bytes.
var goArgs = []string{"build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-w"}

// goVars are what the user's environment must not decide. The value of
// GOFLAGS is not empty because an empty one falls back to what go env -w wrote.
var goVars = []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOEXPERIMENT=", "GOWASM=", "GO111MODULE=on"}

// goSources are the files that the go command may read. Directories that begin
// with a dot cannot be embedded; any other can.
var goSources = sources{
	is:     extensions(".go", ".s", ".h", ".mod", ".sum", "modules.txt"),
	embeds: func(text []byte) bool { return bytes.Contains(text, []byte("//go:embed")) },
	skip:   hidden,
}

// prepareGo builds a main package whose directory has a go.mod or lies below
// one. What decides is the source of that module and of the modules that its
// go.mod replaces by directories; what comes from a module cache is named by
// go.sum.
func prepareGo(ctx context.Context, p *project) (builder, error) {
	root, err := moduleRoot(p.dir)
	if err != nil {
		return nil, err
	}
	tool, version, err := findGo(ctx)
	if err != nil {
		return nil, fmt.Errorf("build: %s: %w", p.dir, err)
	}
	p.note(version, os.Getenv("GOTOOLCHAIN"))
	p.note(goArgs...)
	p.note(goVars...)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	for _, tree := range append([]string{root}, localReplacements(mod)...) {
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(root, tree)
		}
		if _, err := os.Stat(tree); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("build: %s: go.mod replaces a module by %s, which does not exist: put it back (the SDK in .wasmill/sdk is part of the source; wasmill new writes it)", p.dir, tree)
		}
		if err := p.tree(tree, goSources); err != nil {
			return nil, fmt.Errorf("build: %s: reading the source: %w", p.dir, err)
		}
	}
	return func(ctx context.Context, out string) error {
		args := append(append([]string{tool}, goArgs...), "-o", out, ".")
		return command{"go build", p.dir, args, goVars}.run(ctx)
	}, nil
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

// findGo finds the go command and its version. That comes from the VERSION
// file of its tree, because running it would cost more than all the rest of a
// build that is cached.
func findGo(ctx context.Context) (path, version string, err error) {
	path, err = exec.LookPath("go")
	if err != nil {
		return "", "", errors.New("building it needs the go command, which is not in PATH: install Go 1.26 or later from https://go.dev/dl (or the package golang of your system), or name a .wasm file")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(real)), "VERSION")); err == nil {
			version, _, _ := strings.Cut(string(text), "\n")
			return path, version, nil
		}
	}
	out, err := exec.CommandContext(ctx, path, "env", "GOVERSION").Output()
	if err != nil {
		return "", "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	return path, strings.TrimSpace(string(out)), nil
}

// localReplacements returns the directories that a go.mod puts in the place
// of modules, in its order.
func localReplacements(mod []byte) (dirs []string) {
	block := false
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch {
		case words[0] == "replace" && len(words) > 1 && words[1] == "(":
			block = true
			continue
		case block && words[0] == ")":
			block = false
			continue
		case !block && words[0] != "replace":
			continue
		}
		_, target, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		target = strings.Trim(strings.TrimSpace(target), "\"`")
		if strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../") || target == "." || target == ".." || filepath.IsAbs(target) {
			dirs = append(dirs, target)
		}
	}
	return dirs
}
