package localfs

import (
	"io"
	"os"
	"syscall"

	"github.com/wasmill/wasmill/traversal"
)

// file is a descriptor used by system calls alone: a small file costs open,
// fstat, pread and close, without a poller or a finaliser in between.
type file struct {
	fd   int
	path string
}

func openDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
}

func open(path string) (traversal.File, traversal.Entry, error) {
	fd, err := again(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	})
	if err == syscall.ENXIO { // a socket
		return nil, traversal.Entry{}, notRegular(path, traversal.KindOther)
	}
	if err != nil {
		return nil, traversal.Entry{}, pathError("open", path, err)
	}
	f := &file{fd: fd, path: path}
	e, err := f.Stat()
	if err == nil && e.Kind != traversal.KindFile {
		err = notRegular(path, e.Kind)
	}
	if err != nil {
		f.Close()
		return nil, traversal.Entry{}, err
	}
	return f, e, nil
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := again(func() (int, error) { return syscall.Pread(f.fd, p[done:], off+int64(done)) })
		if err != nil {
			return done, pathError("read", f.path, err)
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

// Stat implements traversal.File.
func (f *file) Stat() (traversal.Entry, error) {
	var st syscall.Stat_t
	_, err := again(func() (int, error) { return 0, syscall.Fstat(f.fd, &st) })
	return entry(&st), pathError("stat", f.path, err)
}

// Close implements traversal.File.
func (f *file) Close() error {
	if f.fd < 0 {
		return os.ErrClosed
	}
	err := syscall.Close(f.fd)
	f.fd = -1
	return pathError("close", f.path, err)
}

func lstat(path string) (traversal.Entry, error) {
	var st syscall.Stat_t
	_, err := again(func() (int, error) { return 0, syscall.Lstat(path, &st) })
	return entry(&st), pathError("lstat", path, err)
}

func entry(st *syscall.Stat_t) traversal.Entry {
	e := traversal.Entry{
		Kind:    traversal.KindOther,
		Mode:    st.Mode & 0o7777,
		Size:    st.Size,
		ModTime: nanoseconds(int64(st.Mtim.Sec), int64(st.Mtim.Nsec)),
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		e.Kind = traversal.KindFile
	case syscall.S_IFDIR:
		e.Kind = traversal.KindDir
	case syscall.S_IFLNK:
		e.Kind = traversal.KindSymlink
	}
	return e
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
