package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// language is a way to build a directory. A new one is a file with a variable
// of this type and a line in languages.
type language struct {
	name  string // as people write it: "Rust"
	marks string // what a directory of it holds, for errors: "Cargo.toml"
	ext   string // of what comes out: ".wasm", or archive.Ext

	// detect reports whether a directory is of this language, by the names in
	// it. No directory should be of two.
	detect func(names map[string]bool) bool

	// prepare finds the tools, writes to the project's key everything that
	// decides what comes out, and returns what builds it. It runs at every
	// start of a job, so it reads source and little else. Its errors say what
	// to install.
	prepare func(ctx context.Context, p *project) (builder, error)
}

// builder builds a project into the file out. It is called only if nothing is
// kept under the project's key.
type builder func(ctx context.Context, out string) error

// languages are those that this build knows, as errors list them.
func languages() []*language {
	return []*language{golang, rust, clang, assemblyScript, javascript, python}
}

// languageOf tells the language of a directory by what is in it.
func languageOf(dir string) (*language, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	var fit []*language
	for _, l := range languages() {
		if l.detect(names) {
			fit = append(fit, l)
		}
	}
	switch len(fit) {
	case 0:
		return nil, fmt.Errorf("build: %s holds no source that this build knows: it looks for %s; or name a .wasm or .wasmill file", dir, listed(languages(), " or "))
	case 1:
		return fit[0], nil
	}
	return nil, fmt.Errorf("build: %s could be a step in %s: keep one of them there, or build it yourself and name the .wasm file", dir, listed(fit, " and "))
}

// listed returns the languages and their marks: "Cargo.toml (Rust), …".
func listed(all []*language, last string) string {
	texts := make([]string, len(all))
	for i, l := range all {
		texts[i] = fmt.Sprintf("%s (%s)", l.marks, l.name)
	}
	if n := len(texts) - 1; n > 0 {
		return strings.Join(texts[:n], ", ") + last + texts[n]
	}
	return texts[0]
}

// hasExt reports whether one of the names ends in one of the extensions.
func hasExt(names map[string]bool, exts ...string) bool {
	for name := range names {
		for _, ext := range exts {
			if filepath.Ext(name) == ext {
				return true
			}
		}
	}
	return false
}
