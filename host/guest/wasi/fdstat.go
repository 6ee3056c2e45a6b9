package wasi

import "github.com/tetratelabs/wazero/api"

// Rights, as far as they are given or looked at. They are what runtimes ask
// for by themselves, not how access is checked.
const (
	rightRead         = 1 << 1
	rightSeek         = 1 << 2
	rightSetFlags     = 1 << 3
	rightTell         = 1 << 5
	rightWrite        = 1 << 6
	rightAdvise       = 1 << 7
	rightPathOpen     = 1 << 13
	rightReaddir      = 1 << 14
	rightPathFilestat = 1 << 18
	rightFilestat     = 1 << 21
	rightPoll         = 1 << 27
)

const (
	stdioRights = rightSetFlags | rightFilestat | rightPoll
	fileRights  = rightRead | rightSeek | rightTell | rightSetFlags | rightAdvise | rightFilestat | rightPoll
	dirRights   = rightSetFlags | rightPathOpen | rightReaddir | rightPathFilestat | rightFilestat
)

// rights returns what may be done with a file, and with what is opened below
// it. Writing is among the latter though it is refused: a runtime would mask
// the wish to write instead, and its first write would fail rather than open.
func (f *file) rights() (base, inheriting uint64) {
	switch f.kind {
	case stdin:
		return stdioRights | rightRead, 0
	case stdout, stderr:
		return stdioRights | rightWrite, 0
	case directory:
		return dirRights, dirRights | fileRights | rightWrite
	}
	return fileRights, 0
}

// Flags of a file.
const (
	flagAppend   = 1
	flagNonblock = 4
)

func fdFdstatGet(s *State, m api.Memory, p []uint64) Errno {
	out, ok := view(m, uint32(p[1]), 24)
	if !ok {
		return EFAULT
	}
	f, ok := s.file(p[0])
	if !ok {
		return EBADF
	}
	base, inheriting := f.rights()
	clear(out)
	out[0] = f.filestat().filetype
	le.PutUint64(out[8:], base)
	le.PutUint64(out[16:], inheriting)
	return OK
}

// fdFdstatSetFlags accepts flags that hold for every file here: stdio is
// written at its end, and nothing blocks.
func fdFdstatSetFlags(s *State, _ api.Memory, p []uint64) Errno {
	switch f, ok := s.file(p[0]); {
	case !ok:
		return EBADF
	case uint32(p[1])&^(flagAppend|flagNonblock) != 0:
		return EINVAL
	case f.kind == directory:
		return EISDIR
	}
	return OK
}

func fdFilestatGet(s *State, m api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	if !ok {
		return EBADF
	}
	return f.filestat().answer(m, uint32(p[1]))
}

// answer puts the 64 bytes of a filestat at ptr. All files are on device 1
// and have one link.
func (st stat) answer(m api.Memory, ptr uint32) Errno {
	out, ok := view(m, ptr, 64)
	if !ok {
		return EFAULT
	}
	for i, v := range [...]uint64{1, st.inode, uint64(st.filetype), 1, st.size, st.time, st.time, st.time} {
		le.PutUint64(out[8*i:], v)
	}
	return OK
}
