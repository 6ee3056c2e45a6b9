package wasi

import (
	"io/fs"
	"path"

	"github.com/tetratelabs/wazero/api"
)

// entryOf is an entry of a directory.
type entryOf struct {
	name     string
	inode    uint64
	filetype byte
}

const direntSize = 24 // of an entry without its name

// fdReaddir lists a directory in the order of names, "." and ".." first. The
// cookie of an entry is its index, so any entry can be the first of a call.
// The last entry is cut where the buffer ends, and a full buffer means that
// there is more.
func fdReaddir(s *State, m api.Memory, p []uint64) Errno {
	size, cookie := uint32(p[2]), p[3]
	f, ok := s.file(p[0])
	switch {
	case !ok || f.kind != directory:
		return EBADF
	case size < direntSize:
		return EINVAL
	}
	used, ok1 := view(m, uint32(p[4]), 4)
	out, ok2 := view(m, uint32(p[1]), size)
	if !ok1 || !ok2 {
		return EFAULT
	}
	if e := f.list(s); e != OK {
		return e
	}
	if cookie > uint64(len(f.entries)) {
		return ENOENT
	}
	out = out[:min(len(out), MaxCall)]
	n := 0
	for ; cookie < uint64(len(f.entries)) && n < len(out); cookie++ {
		n += putEntry(out[n:], f.entries[cookie], cookie+1)
	}
	le.PutUint32(used, uint32(n))
	return OK
}

// putEntry writes as much of an entry as fits and returns how much.
func putEntry(out []byte, e entryOf, next uint64) int {
	var head [direntSize]byte
	le.PutUint64(head[:], next)
	le.PutUint64(head[8:], e.inode)
	le.PutUint32(head[16:], uint32(len(e.name)))
	le.PutUint32(head[20:], uint32(e.filetype))
	n := copy(out, head[:])
	return n + copy(out[n:], e.name)
}

// list reads the directory the first time that it is asked for.
func (f *file) list(s *State) Errno {
	if f.entries != nil {
		return OK
	}
	found, err := fs.ReadDir(s.config.Files, f.name) // sorted
	if err != nil {
		return errnoOf(err)
	}
	f.entries = append(make([]entryOf, 0, len(found)+2),
		entryOf{".", inodeOf(f.name), typeDirectory},
		entryOf{"..", inodeOf(path.Dir(f.name)), typeDirectory})
	for _, e := range found {
		f.entries = append(f.entries, entryOf{e.Name(), inodeOf(path.Join(f.name, e.Name())), typeOf(e.Type())})
	}
	return OK
}
