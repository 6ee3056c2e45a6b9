package wasi

import "github.com/tetratelabs/wazero/api"

// file returns the open file behind an argument.
func (s *State) file(fd uint64) (*file, bool) {
	if i := uint32(fd); uint64(i) < uint64(len(s.files)) && s.files[i] != nil {
		return s.files[i], true
	}
	return nil, false
}

// freeFD returns the lowest file descriptor that is free.
func (s *State) freeFD() (uint32, bool) {
	for i, f := range s.files {
		if f == nil {
			return uint32(i), true
		}
	}
	return uint32(len(s.files)), len(s.files) < MaxFiles
}

// put makes f what fd stands for.
func (s *State) put(fd uint32, f *file) {
	for uint32(len(s.files)) <= fd {
		s.files = append(s.files, nil)
	}
	s.files[fd] = f
}

func fdClose(s *State, _ api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	if !ok {
		return EBADF
	}
	s.files[uint32(p[0])] = nil
	if err := f.close(s); err != nil {
		return EIO
	}
	return OK
}

// fdRenumber moves a file of the tree to another descriptor. What an instance
// begins with stays where it is.
func fdRenumber(s *State, _ api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	to := uint32(p[1])
	if !ok || to >= MaxFiles {
		return EBADF
	}
	old, busy := s.file(p[1])
	switch {
	case f.preopen || f.kind.stdio() || busy && (old.preopen || old.kind.stdio()):
		return ENOTSUP
	case f == old:
		return OK
	}
	s.files[uint32(p[0])] = nil
	s.put(to, f)
	if busy && old.close(s) != nil {
		return EIO
	}
	return OK
}

// fdSync serves fd_sync and fd_datasync: there is never anything to write.
func fdSync(s *State, _ api.Memory, p []uint64) Errno {
	if _, ok := s.file(p[0]); !ok {
		return EBADF
	}
	return OK
}

func fdAdvise(s *State, _ api.Memory, p []uint64) Errno {
	const last = 5 // noreuse
	switch _, ok := s.file(p[0]); {
	case !ok:
		return EBADF
	case uint32(p[3]) > last:
		return EINVAL
	}
	return OK
}

func fdAllocate(s *State, m api.Memory, p []uint64) Errno {
	if _, ok := s.file(p[0]); ok && int64(p[1]+p[2]) < 0 {
		return EINVAL
	}
	return fdChange(s, m, p)
}

// fdChange serves what would change a file.
func fdChange(s *State, _ api.Memory, p []uint64) Errno {
	switch f, ok := s.file(p[0]); {
	case !ok:
		return EBADF
	case f.kind.stdio():
		return EINVAL
	}
	return EROFS
}

// fdPrestatGet describes the tree's root: tag 0, a directory, and the length
// of its name.
func fdPrestatGet(s *State, m api.Memory, p []uint64) Errno {
	if f, ok := s.file(p[0]); !ok || !f.preopen {
		return EBADF
	}
	return answer64(m, p[1], uint64(len(s.dir()))<<32)
}

// dir is the name under which the guest finds the tree.
func (s *State) dir() string {
	if s.config.Dir == "" {
		return "/"
	}
	return s.config.Dir
}

func fdPrestatDirName(s *State, m api.Memory, p []uint64) Errno {
	if f, ok := s.file(p[0]); !ok || !f.preopen {
		return EBADF
	}
	name := s.dir()
	if uint32(p[2]) < uint32(len(name)) {
		return ENAMETOOLONG
	}
	out, ok := view(m, uint32(p[1]), uint32(len(name)))
	if !ok {
		return EFAULT
	}
	copy(out, name)
	return OK
}
