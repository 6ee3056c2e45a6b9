package pebblestore

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fencedFile is a file behind a fence; file is nil if it does not exist.
type fencedFile struct {
	fence *fence
	name  string
	file  vfs.File
}

func (f *fencedFile) write(op string, do func() error) error {
	if f.file == nil || f.fence.closed() {
		return nil
	}
	return f.fence.fail(op, f.name, do())
}

func (f *fencedFile) Write(p []byte) (int, error) {
	return len(p), f.write("write", func() error { _, err := f.file.Write(p); return err })
}

func (f *fencedFile) WriteAt(p []byte, off int64) (int, error) {
	return len(p), f.write("write", func() error { _, err := f.file.WriteAt(p, off); return err })
}

func (f *fencedFile) Sync() error {
	return f.write("sync", func() error { return f.file.Sync() })
}

func (f *fencedFile) SyncData() error {
	return f.write("sync", func() error { return f.file.SyncData() })
}

func (f *fencedFile) SyncTo(length int64) (full bool, err error) {
	full = true
	err = f.write("sync", func() (err error) { full, err = f.file.SyncTo(length); return err })
	return full, err
}

// Close frees the handle in any case.
func (f *fencedFile) Close() error {
	if f.file == nil {
		return nil
	}
	return f.fence.fail("close", f.name, f.file.Close())
}

func (f *fencedFile) Preallocate(off, length int64) error {
	if f.file == nil || f.fence.closed() {
		return nil
	}
	return f.file.Preallocate(off, length)
}

func (f *fencedFile) Read(p []byte) (int, error) {
	if f.file == nil {
		return 0, f.missing("read")
	}
	return f.file.Read(p)
}

func (f *fencedFile) ReadAt(p []byte, off int64) (int, error) {
	if f.file == nil {
		return 0, f.missing("read")
	}
	return f.file.ReadAt(p, off)
}

// Stat of a log that is reused is part of writing it.
func (f *fencedFile) Stat() (vfs.FileInfo, error) {
	if f.file == nil {
		return noInfo{name: f.name}, nil
	}
	info, err := f.file.Stat()
	if err != nil {
		return noInfo{name: f.name}, f.fence.fail("stat", f.name, err)
	}
	return info, nil
}

// noInfo is the vfs.FileInfo of an empty file.
type noInfo struct{ name string }

func (i noInfo) Name() string           { return filepath.Base(i.name) }
func (i noInfo) Size() int64            { return 0 }
func (i noInfo) Mode() fs.FileMode      { return 0o666 }
func (i noInfo) ModTime() time.Time     { return time.Time{} }
func (i noInfo) IsDir() bool            { return false }
func (i noInfo) Sys() any               { return nil }
func (i noInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

func (f *fencedFile) Prefetch(off, length int64) error {
	if f.file == nil {
		return nil
	}
	return f.file.Prefetch(off, length)
}

func (f *fencedFile) Fd() uintptr {
	if f.file == nil {
		return vfs.InvalidFd
	}
	return f.file.Fd()
}

func (f *fencedFile) missing(op string) error {
	return &os.PathError{Op: op, Path: f.name, Err: os.ErrNotExist}
}
