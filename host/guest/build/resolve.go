// Package build turns what a job file says under wasm into the bytes of a
// step: it reads a .wasm module or a .wasmill archive, or builds a directory
// with source by the tools of its language and keeps the result by the content
// of the source.
package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
)

// maxFile is the largest module or archive that is read, in bytes.
const maxFile = 256 << 20

// stepABI is the version of the interface that archives are written for.
var stepABI = fmt.Sprintf("%d.%d", abi.Version, abi.Minor)

// Options are the settings of Build and Resolve. The zero value is usable.
type Options struct {
	// CacheDir keeps what was built. It is made with mode 0700 and refused if
	// others may write to it. Default: wasmill/builds in the user's cache
	// directory.
	CacheDir string

	// Building is called before a directory is really built, which takes
	// seconds. Default: nothing.
	Building func(dir string)

	// Reads is called for each directory whose source decides what comes out,
	// also if the build then fails: all that one who waits for a change has to
	// watch. Default: nothing.
	Reads func(dir string)
}

// Step is what Build found or made.
type Step struct {
	Bytes    []byte // a module or an archive
	Digest   string // of Bytes: "sha256:" and hex digits
	Ext      string // that a file of it takes: ".wasm" or archive.Ext
	Language string // of the directory, "" for a file
}

// Resolve is Build without what only people want to know.
func Resolve(ctx context.Context, path string, opts Options) (wasm []byte, digest string, err error) {
	s, err := Build(ctx, path, opts)
	if err != nil {
		return nil, "", err
	}
	return s.Bytes, s.Digest, nil
}

// Build returns the step that path names: a .wasm or .wasmill file, or a
// directory with source. That is built unless nothing that the build reads has
// changed since the last time. Whether a host would take the step is not
// looked at.
func Build(ctx context.Context, path string, opts Options) (*Step, error) {
	info, err := os.Stat(path)
	s := &Step{Ext: filepath.Ext(path)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("build: %s does not exist: name a directory with source, or a .wasm or .wasmill file", path)
	case err != nil:
		return nil, fmt.Errorf("build: %w", err)
	case info.IsDir():
		var l *language
		if s.Bytes, l, err = buildDir(ctx, path, opts); err == nil {
			s.Language, s.Ext = l.name, l.ext
		}
	default:
		s.Bytes, err = readStep(path, info.Size())
	}
	if err != nil {
		return nil, err
	}
	s.Digest = guest.Digest(s.Bytes)
	return s, nil
}

func readStep(path string, size int64) ([]byte, error) {
	switch ext := filepath.Ext(path); {
	case ext != ".wasm" && ext != archive.Ext:
		return nil, fmt.Errorf("build: %s is neither a directory with source nor a .wasm or .wasmill file", path)
	case size > maxFile:
		return nil, fmt.Errorf("build: %s has %d bytes, a step at most %d", path, size, maxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	return b, nil
}

func buildDir(ctx context.Context, dir string, opts Options) ([]byte, *language, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("build: %w", err)
	}
	l, err := languageOf(dir)
	if err != nil {
		return nil, nil, err
	}
	c, err := openCache(opts.CacheDir)
	if err != nil {
		return nil, nil, err
	}
	p := newProject(dir, l, c)
	build, err := l.prepare(ctx, p)
	if opts.Reads != nil {
		for _, tree := range p.trees {
			opts.Reads(tree)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	key := p.key() + l.ext
	if b, ok := c.get(key); ok {
		return b, l, nil
	}
	if opts.Building != nil {
		opts.Building(dir)
	}
	same := func() bool {
		again := newProject(dir, l, c)
		_, err := l.prepare(ctx, again)
		return err == nil && again.key()+l.ext == key
	}
	b, err := c.put(key, func(out string) error { return build(ctx, out) }, same)
	return b, l, err
}
