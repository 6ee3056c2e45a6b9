package wasi

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"
)

// target is what a path names.
type target struct {
	name  string // in the tree, in the form of fs.ValidPath
	slash bool   // it ended in a slash, so it names a directory
}

// resolve returns what a path below the open directory fd names. A path that
// is absolute, or that leaves the directory by "..", is refused; ".." is
// taken away by its letters, which is exact where no symbolic link is
// followed.
func (s *State) resolve(m api.Memory, fd, ptr, size uint64) (target, Errno) {
	b, ok := view(m, uint32(ptr), uint32(size))
	if !ok {
		return target{}, EFAULT
	}
	dir, ok := s.file(fd)
	switch {
	case !ok:
		return target{}, EBADF
	case dir.kind != directory:
		return target{}, ENOTDIR
	case len(b) > MaxPath:
		return target{}, ENAMETOOLONG
	case !utf8.Valid(b):
		return target{}, EILSEQ
	}
	text := string(b)
	name := path.Clean(text)
	if !fs.ValidPath(name) {
		return target{}, EPERM
	}
	return target{path.Join(dir.name, name), strings.HasSuffix(text, "/")}, OK
}

// stat looks a target up without following a symbolic link: ELOOP is one on
// the way, a last one is itself what is found.
func (s *State) stat(t target) (fs.FileInfo, Errno) {
	if _, links := s.config.Files.(fs.ReadLinkFS); links {
		for i := range len(t.name) {
			if t.name[i] != '/' {
				continue
			}
			info, err := fs.Lstat(s.config.Files, t.name[:i])
			if err != nil {
				return nil, errnoOf(err)
			}
			if info.Mode()&fs.ModeSymlink != 0 {
				return nil, ELOOP
			}
		}
	}
	info, err := fs.Lstat(s.config.Files, t.name)
	if err != nil {
		return nil, errnoOf(err)
	}
	if t.slash && !info.IsDir() {
		return nil, ENOTDIR
	}
	return info, OK
}

const followLinks = 1 // of the flags of a lookup

func pathFilestatGet(s *State, m api.Memory, p []uint64) Errno {
	t, e := s.resolve(m, p[0], p[2], p[3])
	if e != OK {
		return e
	}
	info, e := s.stat(t)
	if e != OK {
		return e
	}
	if info.Mode()&fs.ModeSymlink != 0 && p[1]&followLinks != 0 {
		return ELOOP
	}
	return statOf(t.name, info).answer(m, uint32(p[4]))
}

// Flags of path_open.
const (
	openCreate    = 1
	openDirectory = 2
	openExclusive = 4
	openTruncate  = 8
)

func pathOpen(s *State, m api.Memory, p []uint64) Errno {
	flags, rights := uint32(p[4]), p[5]
	t, e := s.resolve(m, p[0], p[2], p[3])
	if e != OK {
		return e
	}
	result, ok := view(m, uint32(p[8]), 4)
	switch {
	case !ok:
		return EFAULT
	case uint32(p[3]) == 0 || flags&openCreate != 0 && flags&openDirectory != 0:
		return EINVAL
	}
	info, e := s.stat(t)
	switch {
	case e == ENOENT && flags&openCreate != 0:
		return EROFS
	case e != OK:
		return e
	case flags&openCreate != 0 && flags&openExclusive != 0:
		return EEXIST
	case info.Mode()&fs.ModeSymlink != 0:
		return ELOOP
	case flags&openDirectory != 0 && !info.IsDir():
		return ENOTDIR
	case info.IsDir() && (rights&rightWrite != 0 || flags&openTruncate != 0):
		return EISDIR
	case rights&rightWrite != 0 || flags&openTruncate != 0:
		return EROFS
	case !info.IsDir() && !info.Mode().IsRegular(): // opening a pipe could block
		return EACCES
	}
	fd, ok := s.freeFD()
	if !ok {
		return EMFILE
	}
	f, e := s.open(t.name, info)
	if e != OK {
		return e
	}
	s.put(fd, f)
	le.PutUint32(result, fd)
	return OK
}

func (s *State) open(name string, info fs.FileInfo) (*file, Errno) {
	f := &file{kind: directory, name: name, stat: statOf(name, info)}
	if info.IsDir() {
		return f, OK
	}
	open, err := s.config.Files.Open(name)
	if err != nil {
		return nil, errnoOf(err)
	}
	f.kind, f.open = regular, open
	f.at, _ = open.(io.ReaderAt)
	return f, OK
}
