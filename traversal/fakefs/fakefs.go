// Package fakefs is a traversal.FS in memory for tests: it fails, waits,
// changes and swells on demand.
package fakefs

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/wasmill/wasmill/traversal"
)

// Op names a call for Hook.
type Op string

// The calls.
const (
	ReadDir Op = "readdir"
	Stat    Op = "stat" // of an entry during ReadDir, and FS.Stat
	Open    Op = "open"
	Read    Op = "read"
)

// FS is a tree in memory. It is safe for concurrent use.
type FS struct {
	// Hook is called before each operation, outside of the lock: it may
	// block, change the tree, or return the error of the operation. It is set
	// before the first use.
	Hook func(op Op, path string) error

	opened, open atomic.Int64

	mu    sync.Mutex
	nodes map[string]*node // mu; by path
	clock int64            // mu; the ModTime that the next change gets
}

type node struct {
	kind     traversal.Kind
	data     []byte
	modTime  int64
	children map[string]bool // of a directory
	virtual  []virtual       // of a directory, besides children
}

type virtual struct {
	count int
	name  func(i int) string
}

// New returns a tree that holds its root.
func New() *FS {
	return &FS{nodes: map[string]*node{traversal.Root: dirNode()}, clock: 1}
}

func dirNode() *node { return &node{kind: traversal.KindDir, children: map[string]bool{}} }

// File makes or replaces a regular file and the directories above it.
func (f *FS) File(path, data string) {
	f.put(path, &node{kind: traversal.KindFile, data: []byte(data)})
}

// Special makes a symbolic link, or a FIFO and the like.
func (f *FS) Special(path string, kind traversal.Kind) { f.put(path, &node{kind: kind}) }

// Dir makes a directory.
func (f *FS) Dir(path string) { f.put(path, dirNode()) }

// Giant makes a directory with count empty files that exist only when they
// are listed. name gives them in ascending order.
func (f *FS) Giant(path string, count int, name func(i int) string) {
	n := dirNode()
	n.virtual = append(n.virtual, virtual{count, name})
	f.put(path, n)
}

func (f *FS) put(path string, n *node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock++
	n.modTime = f.clock
	f.nodes[path] = n
	for path != traversal.Root {
		dir, name := traversal.Root, path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			dir, name = path[:i], path[i+1:]
		}
		if f.nodes[dir] == nil {
			f.nodes[dir] = dirNode()
		}
		f.nodes[dir].children[name] = true
		path = dir
	}
}

// Remove takes path and all below it away. Open files stay readable.
func (f *FS) Remove(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p := range f.nodes {
		if p == path || strings.HasPrefix(p, path+"/") {
			delete(f.nodes, p)
		}
	}
	dir, name := traversal.Root, path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	if d := f.nodes[dir]; d != nil {
		delete(d.children, name)
	}
}

// Rewrite changes the content of a file in place, also for those who have it open.
func (f *FS) Rewrite(path, data string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock++
	f.nodes[path].data, f.nodes[path].modTime = []byte(data), f.clock
}

// Opened returns how many files were opened so far, Unclosed how many of
// them are open.
func (f *FS) Opened() int64   { return f.opened.Load() }
func (f *FS) Unclosed() int64 { return f.open.Load() }

func (f *FS) hook(op Op, path string) error {
	if f.Hook == nil {
		return nil
	}
	if err := f.Hook(op, path); err != nil {
		return &os.PathError{Op: string(op), Path: path, Err: err}
	}
	return nil
}

// ReadDir implements traversal.FS.
func (f *FS) ReadDir(ctx context.Context, dir, after string, limit int, stat func(string, traversal.Kind) bool) ([]traversal.Entry, bool, error) {
	if err := f.hook(ReadDir, dir); err != nil {
		return nil, false, err
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	sel, err := f.list(dir, after, limit)
	if err != nil {
		return nil, false, err
	}
	entries, more := sel.Done()
	for i := range entries {
		e := &entries[i]
		if stat == nil || !stat(e.Name, e.Kind) {
			continue
		}
		got, err := f.Stat(traversal.Join(dir, e.Name))
		switch {
		case err == nil:
			*e = got
		case f.isVirtual(dir):
		default:
			e.Err = err
		}
	}
	return entries, more, nil
}

func (f *FS) isVirtual(dir string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[dir]
	return n != nil && n.virtual != nil
}

func (f *FS) list(dir, after string, limit int) (*traversal.Selection, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[dir]
	if n == nil {
		return nil, &os.PathError{Op: "readdir", Path: dir, Err: fs.ErrNotExist}
	}
	if n.kind != traversal.KindDir {
		return nil, &os.PathError{Op: "readdir", Path: dir, Err: syscall.ENOTDIR}
	}
	sel := traversal.NewSelection(after, limit)
	for name := range n.children {
		if c := f.nodes[traversal.Join(dir, name)]; c != nil {
			sel.Add(traversal.Entry{Name: name, Kind: c.kind})
		}
	}
	for _, v := range n.virtual {
		first := sort.Search(v.count, func(i int) bool { return v.name(i) > after })
		for i := first; i < min(v.count, first+limit+1); i++ {
			sel.Add(traversal.Entry{Name: v.name(i), Kind: traversal.KindFile})
		}
	}
	return sel, nil
}

// Stat implements traversal.FS.
func (f *FS) Stat(path string) (traversal.Entry, error) {
	if err := f.hook(Stat, path); err != nil {
		return traversal.Entry{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[path]
	if n == nil {
		return traversal.Entry{}, &os.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	return n.entry(path[strings.LastIndexByte(path, '/')+1:]), nil
}

func (n *node) entry(name string) traversal.Entry {
	return traversal.Entry{Name: name, Kind: n.kind, Mode: 0o644, Size: int64(len(n.data)), ModTime: n.modTime}
}

// Open implements traversal.FS.
func (f *FS) Open(path string) (traversal.File, traversal.Entry, error) {
	if err := f.hook(Open, path); err != nil {
		return nil, traversal.Entry{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[path]
	switch {
	case n == nil:
		return nil, traversal.Entry{}, &os.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case n.kind != traversal.KindFile:
		return nil, traversal.Entry{}, &os.PathError{Op: "open", Path: path, Err: traversal.ErrNotRegular}
	}
	f.opened.Add(1)
	f.open.Add(1)
	return &file{fs: f, node: n, path: path}, n.entry(""), nil
}

type file struct {
	fs     *FS
	node   *node
	path   string
	closed bool
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fs.hook(Read, f.path); err != nil {
		return 0, err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Stat implements traversal.File.
func (f *file) Stat() (traversal.Entry, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.node.entry(""), nil
}

// Close implements traversal.File.
func (f *file) Close() error {
	if f.closed {
		return os.ErrClosed
	}
	f.closed = true
	f.fs.open.Add(-1)
	return nil
}
