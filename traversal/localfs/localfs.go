// Package localfs is the traversal.FS of the local disk, read by the means of
// the standard library.
package localfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/wasmill/wasmill/traversal"
)

// readAhead is how many entries are asked for in one call.
const readAhead = 1024

// FS is a tree on the local disk. It holds no handles between calls.
type FS struct{ root string }

// New returns the tree at root, which exists. Symbolic links in root itself
// are resolved, once: everything below is taken as it is.
func New(root string) (*FS, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, err
	}
	return &FS{root: abs}, nil
}

// Root returns the absolute path of the tree, symbolic links resolved.
func (f *FS) Root() string { return f.root }

func (f *FS) path(rel string) string {
	switch {
	case rel == traversal.Root:
		return f.root
	case f.root == "/":
		return "/" + rel
	}
	return f.root + "/" + rel
}

// ReadDir implements traversal.FS.
func (f *FS) ReadDir(ctx context.Context, dir, after string, limit int, stat func(string, traversal.Kind) bool) ([]traversal.Entry, bool, error) {
	path := f.path(dir)
	d, err := openDir(path)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	sel := traversal.NewSelection(after, limit)
	for {
		var got []fs.DirEntry
		if err = ctx.Err(); err != nil {
			break
		}
		got, err = d.ReadDir(readAhead)
		for _, e := range got {
			sel.Add(traversal.Entry{Name: e.Name(), Kind: kindOf(e.Type())})
		}
		if err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	entries, more := sel.Done()
	if stat == nil {
		return entries, more, err
	}
	for i := range entries {
		e := &entries[i]
		if !stat(e.Name, e.Kind) {
			continue
		}
		name := e.Name
		if *e, e.Err = lstat(path + "/" + name); e.Err != nil {
			*e = traversal.Entry{Name: name, Kind: e.Kind, Err: e.Err}
		}
		e.Name = name
	}
	return entries, more, err
}

// Stat implements traversal.FS.
func (f *FS) Stat(path string) (traversal.Entry, error) {
	e, err := lstat(f.path(path))
	e.Name = filepath.Base(f.path(path))
	return e, err
}

// Open implements traversal.FS.
func (f *FS) Open(path string) (traversal.File, traversal.Entry, error) {
	return open(f.path(path))
}

func kindOf(m fs.FileMode) traversal.Kind {
	switch m & fs.ModeType {
	case 0:
		return traversal.KindFile
	case fs.ModeDir:
		return traversal.KindDir
	case fs.ModeSymlink:
		return traversal.KindSymlink
	}
	return traversal.KindOther
}

func nanoseconds(sec, nsec int64) int64 {
	switch {
	case sec > math.MaxInt64/1_000_000_000-1:
		return math.MaxInt64
	case sec < math.MinInt64/1_000_000_000+1:
		return math.MinInt64
	}
	return sec*1_000_000_000 + nsec
}

func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: op, Path: path, Err: err}
}

func notRegular(path string, kind traversal.Kind) error {
	return fmt.Errorf("open %q: %w but of kind %s", path, traversal.ErrNotRegular, kind)
}
