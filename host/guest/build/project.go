package build

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// project is a directory that is to be built.
type project struct {
	dir   string   // absolute
	cache cache    // what is kept from one build to the next
	trees []string // directories that were hashed, absolute
	hash  hash.Hash
}

func newProject(dir string, l *language, c cache) *project {
	p := &project{dir: dir, cache: c, hash: sha256.New()}
	p.note("2", l.name) // the first is raised when this package builds otherwise
	return p
}

// note adds words to the key.
func (p *project) note(words ...string) { fmt.Fprintf(p.hash, "%q\x00", words) }

// noteEnv adds the environment variables whose names begin with one of the
// prefixes to the key.
func (p *project) noteEnv(prefixes ...string) {
	var found []string
	for _, v := range os.Environ() {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(v, prefix) }) {
			found = append(found, v)
		}
	}
	slices.Sort(found)
	p.note(found...)
}

// key names what comes out, once prepare has noted everything.
func (p *project) key() string { return hex.EncodeToString(p.hash.Sum(nil)) }

// sdk returns the directory of the SDK that wasmill new writes, and whether it
// is there.
func (p *project) sdk() (dir string, ok bool) {
	dir = filepath.Join(p.dir, ".wasmill", "sdk")
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// source hashes the project's directory and the SDK in it, if there is one.
func (p *project) source(s sources) error {
	if err := p.tree(".", s); err != nil {
		return err
	}
	if dir, ok := p.sdk(); ok {
		return p.tree(dir, s)
	}
	return nil
}

// tree hashes a directory that the build reads. If root is relative it is so
// to the project's directory, and its text is a part of the key.
func (p *project) tree(root string, s sources) error {
	path := root
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, root)
	}
	if rel, err := filepath.Rel(p.dir, path); err == nil {
		root = rel
	}
	p.note("tree", root)
	p.trees = append(p.trees, path)
	return s.hash(p.hash, path)
}

// work returns a directory that stays from one build of this project to the
// next, for what makes the next one quick. Two processes may have it at once.
func (p *project) work() (string, error) {
	name := sha256.Sum256([]byte(p.dir))
	dir, err := cachedir.Make(filepath.Join(p.cache.dir, "work-"+hex.EncodeToString(name[:8])), "builds")
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return dir, nil
}
