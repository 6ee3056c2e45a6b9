package walk

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/wasmill/wasmill/traversal"
)

// matcher decides which paths, relative to the root, belong to the source.
type matcher struct {
	include, exclude []string
	bases            []string        // the constant leading directories of include
	avoid            map[string]bool // paths that are never entered nor read
}

func newMatcher(include, exclude []string) *matcher {
	m := &matcher{include: include, exclude: exclude, avoid: map[string]bool{}}
	for _, g := range include {
		base, _ := doublestar.SplitPattern(g)
		m.bases = append(m.bases, base)
	}
	return m
}

// want tells whether the entry at path is a part of the source.
func (m *matcher) want(path string) bool {
	return !m.avoid[path] && (len(m.include) == 0 || matchAny(m.include, path)) && !matchAny(m.exclude, path)
}

// enter tells whether something below the directory at path may be wanted.
func (m *matcher) enter(path string) bool {
	if m.avoid[path] || matchAny(m.exclude, path) {
		return false
	}
	for _, b := range m.bases {
		if b == traversal.Root || within(path, b) || within(b, path) {
			return true
		}
	}
	return len(m.bases) == 0
}

func matchAny(globs []string, path string) bool {
	for _, g := range globs {
		if doublestar.MatchUnvalidated(g, path) {
			return true
		}
	}
	return false
}

// within tells whether path is dir or below it.
func within(path, dir string) bool {
	return len(path) >= len(dir) && path[:len(dir)] == dir && (len(path) == len(dir) || path[len(dir)] == '/')
}

// relate places path against root: inside gives it relative to root, covers
// says that root is path or lies in it. Symbolic links are resolved in path as
// far as it exists; root has none.
func relate(root, path string) (rel string, inside, covers bool) {
	rel, err := filepath.Rel(root, resolve(path))
	if err != nil {
		return "", false, false
	}
	rel = filepath.ToSlash(rel)
	if rel == "." || strings.Trim(rel, "./") == "" {
		return "", false, true // only steps upwards
	}
	if strings.HasPrefix(rel, "../") {
		return "", false, false
	}
	return rel, true, false
}

// resolve follows the symbolic links of the longest part of path that exists.
func resolve(path string) string {
	rest := ""
	for p := filepath.Clean(path); ; {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		dir := filepath.Dir(p)
		if dir == p {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = dir
	}
}
