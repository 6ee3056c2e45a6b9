// Package crashdisk is a disk in memory that keeps apart what was written
// from what would survive a loss of power, and fails or stops at a chosen call.
package crashdisk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"

	"github.com/wasmill/wasmill/plugins/file/internal/disk"
)

// ErrCrashed is returned by all calls from the crash on.
var ErrCrashed = errors.New("crashdisk: crashed")

// Disk is a disk.Disk. A process is simulated by setting At, using the disk
// until calls fail, and going on with what Crash returns.
type Disk struct {
	mu    sync.Mutex
	state // mu

	// At is the number of the mutating call, from 1, that fails; 0 = none.
	At int
	// Err is what that call fails with, once; nil is a crash: it and all
	// later calls fail with ErrCrashed.
	Err error

	calls   int
	crashed bool
}

type state struct {
	names   map[string]*inode // as a running process sees it
	durable map[string]*inode // names as of the last SyncDir of their directory
	log     map[string][]op   // by directory: changes of names since its SyncDir
}

type op struct {
	remove, add string
	node        *inode
}

type inode struct {
	data   []byte
	synced int // length that is durable
}

// New returns an empty disk.
func New() *Disk {
	return &Disk{state: state{names: map[string]*inode{}, durable: map[string]*inode{}, log: map[string][]op{}}}
}

// Calls returns how many mutating calls were made.
func (d *Disk) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Crash returns a new disk that holds what is left after a loss of power: all
// that was synced, and of the rest a part chosen by rnd. With a nil rnd only
// the process ended: everything written is there.
func (d *Disk) Crash(rnd *rand.Rand) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := New()
	left := d.names
	if rnd != nil {
		left = map[string]*inode{}
		for name, node := range d.durable {
			left[name] = node
		}
		for _, ops := range d.log {
			for _, o := range ops[:rnd.IntN(len(ops)+1)] {
				delete(left, o.remove)
				if o.add != "" {
					left[o.add] = o.node
				}
			}
		}
	}
	for name, node := range left {
		size := len(node.data)
		if rnd != nil {
			size = node.synced + rnd.IntN(len(node.data)-node.synced+1)
		}
		c := &inode{data: append([]byte(nil), node.data[:size]...), synced: size}
		n.names[name], n.durable[name] = c, c
	}
	return n
}

// Files returns the content of all files by name.
func (d *Disk) Files() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := map[string]string{}
	for name, node := range d.names {
		files[name] = string(node.data)
	}
	return files
}

// Put makes a durable file.
func (d *Disk) Put(name, data string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := &inode{data: []byte(data), synced: len(data)}
	d.names[name], d.durable[name] = n, n
}

// step counts a mutating call. With mu held.
func (d *Disk) step(what, name string) error {
	if d.crashed {
		return ErrCrashed
	}
	d.calls++
	if d.calls != d.At {
		return nil
	}
	if d.Err == nil {
		d.crashed = true
		return ErrCrashed
	}
	return &os.PathError{Op: what, Path: name, Err: d.Err}
}

func dirOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return "."
}

// List implements disk.Disk. Directories exist as long as they hold a file.
func (d *Disk) List(dir string) ([]disk.Info, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.crashed {
		return nil, ErrCrashed
	}
	var infos []disk.Info
	seen := map[string]bool{}
	for name, node := range d.names {
		switch at := dirOf(name); {
		case at == dir:
			infos = append(infos, disk.Info{Name: name[strings.LastIndexByte(name, '/')+1:], Size: int64(len(node.data))})
		case dir == "." && !seen[at]:
			seen[at] = true
			infos = append(infos, disk.Info{Name: at, Dir: true})
		}
	}
	return infos, nil
}

// Open implements disk.Disk.
func (d *Disk) Open(name string) (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("open", name); err != nil {
		return nil, err
	}
	n := d.names[name]
	if n == nil {
		n = &inode{}
		d.names[name] = n
		d.change(op{add: name, node: n})
	}
	return &file{d: d, node: n, name: name}, nil
}

func (d *Disk) change(o op) {
	dir := dirOf(o.add + o.remove)
	if o.add != "" {
		dir = dirOf(o.add)
	}
	d.log[dir] = append(d.log[dir], o)
}

// Size implements disk.Disk.
func (d *Disk) Size(name string) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.crashed {
		return 0, ErrCrashed
	}
	n, ok := d.names[name]
	if !ok {
		return 0, &os.PathError{Op: "stat", Path: name, Err: os.ErrNotExist}
	}
	return int64(len(n.data)), nil
}

// Truncate implements disk.Disk.
func (d *Disk) Truncate(name string, size int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("truncate", name); err != nil {
		return err
	}
	n := d.names[name]
	if n == nil || int64(len(n.data)) < size {
		return fmt.Errorf("crashdisk: truncate %s to %d: %w", name, size, fs.ErrInvalid)
	}
	n.data = n.data[:size]
	n.synced = int(size)
	return nil
}

// Rename implements disk.Disk.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("rename", from); err != nil {
		return err
	}
	n := d.names[from]
	if n == nil || dirOf(from) != dirOf(to) {
		return &os.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	delete(d.names, from)
	d.names[to] = n
	d.change(op{remove: from, add: to, node: n})
	return nil
}

// Remove implements disk.Disk.
func (d *Disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("remove", name); err != nil {
		return err
	}
	for other := range d.names {
		if strings.HasPrefix(other, name+"/") {
			return &os.PathError{Op: "remove", Path: name, Err: fs.ErrExist}
		}
	}
	delete(d.names, name)
	d.change(op{remove: name})
	return nil
}

// SyncDir implements disk.Disk.
func (d *Disk) SyncDir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("fsync", dir); err != nil {
		return err
	}
	for _, o := range d.log[dir] {
		delete(d.durable, o.remove)
		if o.add != "" {
			d.durable[o.add] = o.node
		}
	}
	delete(d.log, dir)
	return nil
}

type file struct {
	d    *Disk
	node *inode
	name string
}

// Write implements disk.File. The write that fails leaves half of its bytes.
func (f *file) Write(p []byte) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	was := f.d.crashed
	if err := f.d.step("write", f.name); err != nil {
		if was {
			return 0, err
		}
		f.node.data = append(f.node.data, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	f.node.data = append(f.node.data, p...)
	return len(p), nil
}

// Sync implements disk.File.
func (f *file) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.step("fdatasync", f.name); err != nil {
		return err
	}
	f.node.synced = len(f.node.data)
	return nil
}

// Close implements disk.File.
func (f *file) Close() error { return nil }
