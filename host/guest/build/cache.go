package build

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

// building is what the directories of builds begin with.
const building = "build-"

// cache keeps what was built in a directory, one file each, named by the hash
// of its source and an extension: the SHA-256 of a step and then the step. Files
// appear whole, by rename: processes that build the same thing at once both
// succeed. One that was spoilt since is built anew.
type cache struct{ dir string }

func openCache(dir string) (cache, error) {
	dir, err := cachedir.Make(dir, "builds")
	if err != nil {
		return cache{}, fmt.Errorf("build: %w", err)
	}
	return cache{dir}, nil
}

func (c cache) path(key string) string { return filepath.Join(c.dir, key) }

// get returns what is kept under a key and marks it as used.
func (c cache) get(key string) ([]byte, bool) {
	path := c.path(key)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	if len(b) < sha256.Size || sha256.Sum256(b[sha256.Size:]) != [sha256.Size]byte(b) {
		return nil, false
	}
	cachedir.Touch(path)
	return b[sha256.Size:], true
}

// put lets make write a step into a file and keeps it under key, unless the
// source is not the same any more: then it may be that of no key.
func (c cache) put(key string, make func(out string) error, same func() bool) ([]byte, error) {
	tmp, err := os.MkdirTemp(c.dir, building)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "step"+filepath.Ext(key))
	if err := make(out); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("build: reading what was built: %w", err)
	}
	if !same() {
		return b, nil
	}
	sum := sha256.Sum256(b)
	if err := settle(c.path(key), sum[:], b); err != nil {
		return nil, fmt.Errorf("build: keeping what was built: %w", err)
	}
	cachedir.Sweep(c.dir, building)
	return b, nil
}

// settle puts a file of these parts in its place for good.
func settle(path string, parts ...[]byte) error {
	return cachedir.Replace(path, func(f *os.File) error {
		for _, b := range parts {
			if _, err := f.Write(b); err != nil {
				return err
			}
		}
		return f.Sync()
	})
}
