package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// crates is what a build of a package in Rust reads on this machine.
type crates struct {
	dirs   []string // of the package and of those that it depends on by path
	files  []string // of workspaces and of cargo's configuration; need not exist
	locked bool     // there is a Cargo.lock
}

// byPath finds the paths in a Cargo.toml: path = "../dep". The path of a [lib]
// or a [[bin]] is one too, of a file.
var byPath = regexp.MustCompile(`(?m)\bpath\s*=\s*["']([^"']+)["']`)

// findCrates follows the dependencies by path from the package in dir.
func findCrates(dir string) (*crates, error) {
	c, seen := &crates{}, map[string]bool{}
	for todo := []string{dir}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		manifest, err := os.ReadFile(filepath.Join(at, "Cargo.toml"))
		if err != nil {
			return nil, fmt.Errorf("build: %s: a package that it depends on by path: %w", dir, err)
		}
		found, err := pathsIn(at, manifest)
		if err != nil {
			return nil, fmt.Errorf("build: %s: %w", dir, err)
		}
		c.dirs, todo = append(c.dirs, at), append(todo, found...)

		root, text := workspaceOf(at)
		if root != at && root != "" { // dependencies may be named there
			c.files = append(c.files, filepath.Join(root, "Cargo.toml"), filepath.Join(root, "Cargo.lock"))
			found, err := pathsIn(root, text)
			if err != nil {
				return nil, fmt.Errorf("build: %s: %w", dir, err)
			}
			todo = append(todo, found...)
		}
	}
	root, _ := workspaceOf(dir)
	c.locked = exists(filepath.Join(dir, "Cargo.lock")) || root != "" && exists(filepath.Join(root, "Cargo.lock"))
	for at := dir; ; at = filepath.Dir(at) {
		c.files = append(c.files, filepath.Join(at, ".cargo", "config.toml"))
		if at == filepath.Dir(at) {
			return c, nil
		}
	}
}

// pathsIn returns the directories that the Cargo.toml of dir names.
func pathsIn(dir string, manifest []byte) (dirs []string, err error) {
	for _, m := range byPath.FindAllSubmatch(manifest, -1) {
		path := filepath.FromSlash(string(m[1]))
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			dirs = append(dirs, path)
		case errors.Is(err, fs.ErrNotExist) && filepath.Ext(path) == "":
			return nil, fmt.Errorf("its Cargo.toml names %s, which does not exist: put it back (the SDK in .wasmill/sdk is part of the source; wasmill new writes it)", path)
		}
	}
	return dirs, nil
}

// workspaceOf returns the nearest directory, dir or one above it, whose
// Cargo.toml is of a workspace, and that file. "" if there is none.
func workspaceOf(dir string) (root string, manifest []byte) {
	for at := dir; ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, "Cargo.toml")); err == nil && strings.Contains("\n"+string(text), "\n[workspace") {
			return at, text
		}
		if at == filepath.Dir(at) {
			return "", nil
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
