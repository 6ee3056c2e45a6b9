package wasi

import (
	"io"

	"github.com/tetratelabs/wazero/api"
)

func fdRead(s *State, m api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	if !ok {
		return EBADF
	}
	switch f.kind {
	case directory:
		return EISDIR
	case stdout, stderr:
		return EBADF
	case stdin:
		return read(m, p[1], p[2], p[3], s.readStdin)
	}
	return read(m, p[1], p[2], p[3], func(b []byte) (int, Errno) {
		n, e := f.readAt(s, b, f.pos)
		f.pos += int64(n)
		return n, e
	})
}

func fdPread(s *State, m api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	off := int64(p[3])
	switch {
	case !ok:
		return EBADF
	case f.kind == directory:
		return EISDIR
	case f.kind.stdio():
		return ESPIPE
	case off < 0:
		return EINVAL
	}
	return read(m, p[1], p[2], p[4], func(b []byte) (int, Errno) {
		n, e := f.readAt(s, b, off)
		off += int64(n)
		return n, e
	})
}

func (s *State) readStdin(b []byte) (int, Errno) {
	if s.config.Stdin == nil {
		return 0, OK
	}
	n, err := s.config.Stdin.Read(b)
	if err != nil && err != io.EOF && n == 0 {
		return 0, EIO
	}
	return n, OK
}

// read fills the buffers of a vector until from has no more, and answers with
// the number of bytes. A fault after some bytes is left to the next call.
func read(m api.Memory, ptr, count, result uint64, from func([]byte) (int, Errno)) Errno {
	out, ok := view(m, uint32(result), 4)
	if !ok {
		return EFAULT
	}
	v, e := vectorAt(m, uint32(ptr), uint32(count))
	if e != OK {
		return e
	}
	total := 0
	for b, ok := v.next(); ok; b, ok = v.next() {
		n, e := from(b)
		if e != OK && total == 0 {
			return e
		}
		total += n
		if n < len(b) {
			break
		}
	}
	le.PutUint32(out, uint32(total))
	return OK
}

func fdWrite(s *State, m api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	if !ok || f.kind != stdout && f.kind != stderr {
		return EBADF
	}
	to := s.config.Stdout
	if f.kind == stderr {
		to = s.config.Stderr
	}
	if to == nil {
		to = io.Discard
	}
	out, ok := view(m, uint32(p[3]), 4)
	if !ok {
		return EFAULT
	}
	v, e := vectorAt(m, uint32(p[1]), uint32(p[2]))
	if e != OK {
		return e
	}
	total := 0
	for b, ok := v.next(); ok; b, ok = v.next() {
		n, err := to.Write(b)
		if err != nil && total+n == 0 {
			return EIO
		}
		total += n
		if err != nil {
			break
		}
	}
	le.PutUint32(out, uint32(total))
	return OK
}

// fdPwrite finds nothing to write to: stdio has no offsets, files are not
// open for writing.
func fdPwrite(s *State, _ api.Memory, p []uint64) Errno {
	if f, ok := s.file(p[0]); ok && f.kind.stdio() {
		return ESPIPE
	}
	return EBADF
}

func fdSeek(s *State, m api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	if !ok {
		return EBADF
	}
	return f.seek(m, int64(p[1]), uint32(p[2]), p[3])
}

func fdTell(s *State, m api.Memory, p []uint64) Errno {
	f, ok := s.file(p[0])
	if !ok {
		return EBADF
	}
	return f.seek(m, 0, io.SeekCurrent, p[1])
}

func (f *file) seek(m api.Memory, off int64, whence uint32, result uint64) Errno {
	switch {
	case f.kind == directory:
		return EISDIR
	case f.kind.stdio():
		return ESPIPE
	}
	var base int64
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		base = f.pos
	case io.SeekEnd:
		base = int64(f.stat.size) // it was one, of a FileInfo
	default:
		return EINVAL
	}
	if base+off < 0 { // a sum that is too large is, too
		return EINVAL
	}
	if e := answer64(m, result, uint64(base+off)); e != OK {
		return e
	}
	f.pos = base + off
	return OK
}
