package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var assemblyScript = &language{
	name: "AssemblyScript", marks: asConfig, ext: ".wasm",
	detect:  func(names map[string]bool) bool { return names[asConfig] },
	prepare: prepareAssemblyScript,
}

const asConfig = "asconfig.json"

var asSources = sources{is: extensions(".ts", ".json")}

// prepareAssemblyScript builds what the release target of asconfig.json says,
// with the compiler that npm installed beside it.
func prepareAssemblyScript(_ context.Context, p *project) (builder, error) {
	node := findTool("NODE", "node")
	if node == "" {
		return nil, fmt.Errorf("build: %s: building it needs Node.js, which is not in PATH: install Node.js 20 or later from https://nodejs.org (or the packages nodejs and npm of your system), or name a .wasm file", p.dir)
	}
	asc, modules := findAsc(p.dir)
	if asc == "" {
		return nil, fmt.Errorf("build: %s: the compiler of AssemblyScript is not installed: run npm install there", p.dir)
	}
	about, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(asc)), "package.json")) // has its version
	if err != nil {
		return nil, fmt.Errorf("build: %s: the compiler of AssemblyScript: %w", p.dir, err)
	}
	p.note(asc, string(about))
	if err := p.source(asSources); err != nil {
		return nil, fmt.Errorf("build: %s: reading the source: %w", p.dir, err)
	}
	lock, err := os.ReadFile(filepath.Join(modules, ".package-lock.json")) // what npm installed
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("build: %s: %w", p.dir, err)
	}
	p.note(string(lock))
	linked, err := linkedPackages(p.dir)
	if err != nil {
		return nil, fmt.Errorf("build: %s: %w", p.dir, err)
	}
	for _, dir := range linked {
		if err := p.tree(dir, asSources); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("build: %s: reading the source: %w", p.dir, err)
		}
	}
	return func(ctx context.Context, out string) error {
		return command{"asc", p.dir, []string{node, asc, "--config", asConfig, "--target", "release", "--outFile", out}, nil}.run(ctx)
	}, nil
}

// linkedPackages returns the directories that package.json names as
// dependencies, relative to dir.
func linkedPackages(dir string) (dirs []string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var manifest struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	for _, all := range []map[string]string{manifest.Dependencies, manifest.DevDependencies} {
		for _, at := range all {
			if path, ok := strings.CutPrefix(at, "file:"); ok {
				dirs = append(dirs, filepath.FromSlash(path))
			}
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}

// findAsc returns the script of the compiler, the one that WASMILL_ASC names
// or the one in the nearest node_modules that has it, and that directory.
func findAsc(dir string) (asc, modules string) {
	modules = filepath.Join(dir, "node_modules")
	for at := dir; ; at = filepath.Dir(at) {
		in := filepath.Join(at, "node_modules")
		if path := filepath.Join(in, "assemblyscript", "bin", "asc.js"); exists(path) {
			asc, modules = path, in
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if path := os.Getenv("WASMILL_ASC"); path != "" {
		asc = path
	}
	if real, err := filepath.EvalSymlinks(asc); err == nil && asc != "" {
		asc = real
	}
	return asc, modules
}
