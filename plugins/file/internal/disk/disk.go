// Package disk is what the file sink needs of a file system, small enough
// that a test can fail and crash it at every call.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
)

// Disk holds files under one directory. Names are relative to it, and slash-
// separated; a directory is "." or one level deep. It is safe for concurrent use.
type Disk interface {
	// List returns the names in dir; a directory that is missing is empty.
	List(dir string) ([]Info, error)
	// Open opens name for appending and creates it, with the directories
	// above it, if it is missing.
	Open(name string) (File, error)
	// Size returns the length of the file under a name, which need not be the
	// one that was opened under it.
	Size(name string) (int64, error)
	Truncate(name string, size int64) error
	Rename(from, to string) error
	Remove(name string) error // a file, or an empty directory
	// SyncDir makes what was created, renamed and removed in dir durable; of
	// "." also its own place in the directories above it.
	SyncDir(dir string) error
}

// File is a file open for appending.
type File interface {
	Write(p []byte) (int, error)
	Sync() error // content and length, not the times
	Close() error
}

// Info is one name in a directory.
type Info struct {
	Name string
	Dir  bool
	Size int64
}

// OS returns the disk under root, an absolute path that need not exist.
func OS(root string) Disk { return &osDisk{root: root} }

type osDisk struct {
	root string
	made atomic.Bool // the root was made by us and may not be durable
}

func (d *osDisk) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

func (d *osDisk) List(dir string) ([]Info, error) {
	names, err := os.ReadDir(d.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	infos := make([]Info, 0, len(names))
	for _, e := range names {
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, Info{Name: e.Name(), Dir: e.IsDir(), Size: st.Size()})
	}
	return infos, nil
}

func (d *osDisk) Open(name string) (File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	f, err := os.OpenFile(d.path(name), flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(d.root); err != nil {
			d.made.Store(true)
		}
		if err = os.MkdirAll(filepath.Dir(d.path(name)), 0o777); err == nil {
			f, err = os.OpenFile(d.path(name), flags, 0o666)
		}
	}
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d *osDisk) Size(name string) (int64, error) {
	info, err := os.Stat(d.path(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (d *osDisk) Truncate(name string, size int64) error {
	f, err := os.OpenFile(d.path(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

func (d *osDisk) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }
func (d *osDisk) Remove(name string) error     { return os.Remove(d.path(name)) }

func (d *osDisk) SyncDir(dir string) error {
	path := d.path(dir)
	if err := syncDir(path); err != nil || dir != "." || !d.made.Load() {
		return err
	}
	// The directories above may be new as well; those that cannot be opened
	// were not made by us.
	for up := filepath.Dir(path); ; up = filepath.Dir(up) {
		if err := syncDir(up); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		if up == filepath.Dir(up) {
			d.made.Store(false)
			return nil
		}
	}
}

// syncDir makes a directory durable. Some file systems cannot, and need not;
// Windows has no such thing.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

type osFile struct{ *os.File }

func (f osFile) Sync() error { return fdatasync(f.File) }
