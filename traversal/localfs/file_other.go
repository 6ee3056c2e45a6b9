//go:build !linux

package localfs

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/wasmill/wasmill/traversal"
)

// file is an os.File. Without the flags of Linux the check for a regular file
// comes before the open, so that a swap in between is found only afterwards.
type file struct{ *os.File }

func openDir(path string) (*os.File, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, pathError("open", path, syscall.ENOTDIR)
	}
	return os.Open(path)
}

func open(path string) (traversal.File, traversal.Entry, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, traversal.Entry{}, err
	}
	if !st.Mode().IsRegular() {
		return nil, traversal.Entry{}, notRegular(path, kindOf(st.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, traversal.Entry{}, err
	}
	e, err := file{f}.Stat()
	if err == nil && e.Kind != traversal.KindFile {
		err = notRegular(path, e.Kind)
	}
	if err != nil {
		f.Close()
		return nil, traversal.Entry{}, err
	}
	return file{f}, e, nil
}

// Stat implements traversal.File.
func (f file) Stat() (traversal.Entry, error) {
	st, err := f.File.Stat()
	if err != nil {
		return traversal.Entry{}, err
	}
	return entry(st), nil
}

func lstat(path string) (traversal.Entry, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return traversal.Entry{}, err
	}
	return entry(st), nil
}

func entry(st fs.FileInfo) traversal.Entry {
	m := st.Mode()
	mode := uint32(m.Perm())
	for bit, unix := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&bit != 0 {
			mode |= unix
		}
	}
	t := st.ModTime()
	return traversal.Entry{Kind: kindOf(m), Mode: mode, Size: st.Size(), ModTime: nanoseconds(t.Unix(), int64(t.Nanosecond()))}
}
