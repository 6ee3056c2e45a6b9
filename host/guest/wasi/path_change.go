package wasi

import (
	"io/fs"

	"github.com/tetratelabs/wazero/api"
)

// pathReadlink finds no link that it would read: those of a tree lead where
// the guest cannot go.
func pathReadlink(s *State, m api.Memory, p []uint64) Errno {
	t, e := s.resolve(m, p[0], p[1], p[2])
	if e != OK {
		return e
	}
	info, e := s.stat(t)
	switch {
	case e != OK:
		return e
	case info.Mode()&fs.ModeSymlink != 0:
		return ENOTSUP
	}
	return EINVAL
}

// refuse answers for what would change the tree at a path.
func (s *State) refuse(m api.Memory, fd, ptr, size uint64) Errno {
	if _, e := s.resolve(m, fd, ptr, size); e != OK {
		return e
	}
	return EROFS
}

// pathChange serves what would change the tree at one path.
func pathChange(s *State, m api.Memory, p []uint64) Errno { return s.refuse(m, p[0], p[1], p[2]) }

func pathSetTimes(s *State, m api.Memory, p []uint64) Errno { return s.refuse(m, p[0], p[2], p[3]) }

func pathSymlink(s *State, m api.Memory, p []uint64) Errno {
	if _, ok := view(m, uint32(p[0]), uint32(p[1])); !ok {
		return EFAULT
	}
	return s.refuse(m, p[2], p[3], p[4])
}

func pathLink(s *State, m api.Memory, p []uint64) Errno {
	if _, e := s.resolve(m, p[0], p[2], p[3]); e != OK {
		return e
	}
	return s.refuse(m, p[4], p[5], p[6])
}

func pathRename(s *State, m api.Memory, p []uint64) Errno {
	if _, e := s.resolve(m, p[0], p[1], p[2]); e != OK {
		return e
	}
	return s.refuse(m, p[3], p[4], p[5])
}
