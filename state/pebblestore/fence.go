package pebblestore

import (
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/wasmill/wasmill/state"
)

// fence is a file system that stops at the first write that fails: a full
// disk, an I/O error. From then on writes do nothing and report success, so
// that what is on the disk is what a crash at that moment would have left.
//
// The reason is how Pebble takes such errors. An error of the log ends the
// process, or panics with its locks held, so that the database can never be
// closed; a failed flush is tried again at once, without end, while commits
// wait for it. Behind the fence Pebble stays whole, can be closed and frees
// everything. The store asks failed before it trusts any result.
type fence struct {
	vfs.FS
	first atomic.Pointer[error]
}

// fail notes the error of a write and reports success in its place. A write
// that depended on this one sees the fence closed, because fail returns before
// Pebble goes on.
func (f *fence) fail(op, name string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s %s: %w", op, name, err)
		f.first.CompareAndSwap(nil, &err)
	}
	return nil
}

func (f *fence) closed() bool { return f.first.Load() != nil }

// failed returns nil, or the first error as a state.ErrOutcomeUnknown.
func (f *fence) failed() error {
	if err := f.first.Load(); err != nil {
		return fmt.Errorf("%w: a write to disk failed, close and open the store again: %w", state.ErrOutcomeUnknown, *err)
	}
	return nil
}

// file wraps what a call that opens a file for writing returned.
func (f *fence) file(op, name string, file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		f.fail(op, name, err)
		file = nil
	}
	return &fencedFile{fence: f, name: name, file: file}, nil
}

func (f *fence) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if f.closed() {
		return &fencedFile{fence: f, name: name}, nil
	}
	file, err := f.FS.Create(name, category)
	return f.file("create", name, file, err)
}

func (f *fence) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if f.closed() {
		return &fencedFile{fence: f, name: name}, nil
	}
	file, err := f.FS.OpenReadWrite(name, category, opts...)
	return f.file("open", name, file, err)
}

func (f *fence) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if f.closed() {
		return &fencedFile{fence: f, name: newname}, nil
	}
	file, err := f.FS.ReuseForWrite(oldname, newname, category)
	return f.file("create", newname, file, err)
}

// Open delays the answer that a file is missing once the fence is closed: it
// may be one that was not written, and Pebble tries again at once.
func (f *fence) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err != nil && f.closed() {
		time.Sleep(retryDelay)
	}
	return file, err
}

const retryDelay = 5 * time.Millisecond

// OpenDir opens a directory to sync it.
func (f *fence) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &fencedFile{fence: f, name: name, file: file}, nil
}

func (f *fence) Link(oldname, newname string) error {
	if f.closed() {
		return nil
	}
	return f.fail("link", newname, f.FS.Link(oldname, newname))
}

func (f *fence) Rename(oldname, newname string) error {
	if f.closed() {
		return nil
	}
	return f.fail("rename", newname, f.FS.Rename(oldname, newname))
}

// Remove and RemoveAll of what is obsolete may fail without harm.
func (f *fence) Remove(name string) error {
	if f.closed() {
		return nil
	}
	return f.FS.Remove(name)
}

func (f *fence) RemoveAll(name string) error {
	if f.closed() {
		return nil
	}
	return f.FS.RemoveAll(name)
}

func (f *fence) MkdirAll(name string, perm fs.FileMode) error {
	if f.closed() {
		return nil
	}
	return f.FS.MkdirAll(name, perm)
}

func (f *fence) Unwrap() vfs.FS { return f.FS }
