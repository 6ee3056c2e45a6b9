package wasi

import (
	"bytes"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
)

// kind is what an open file is.
type kind byte

const (
	stdin kind = iota
	stdout
	stderr
	directory
	regular
)

func (k kind) stdio() bool { return k <= stderr }

// file is an open file of a guest. Directories are known by name alone: they
// are listed when the guest asks.
type file struct {
	kind    kind
	preopen bool   // the tree's root as the instance found it
	name    string // in the tree, in the form of fs.ValidPath
	stat    stat

	open    fs.File     // of a regular file
	at      io.ReaderAt // its content
	held    int64       // bytes of it in memory
	pos     int64
	entries []entryOf // of a directory, once listed
}

// stat is what a guest learns of a file. There are no symbolic links, devices
// or owners; a file has one link.
type stat struct {
	inode    uint64
	filetype byte
	size     uint64
	time     uint64 // of all changes, nanoseconds since 1970, 0 if it is unknown
}

// File types.
const (
	typeUnknown   = 0
	typeBlock     = 1
	typeCharacter = 2
	typeDirectory = 3
	typeRegular   = 4
	typeSymlink   = 7
)

// stdioStat makes a terminal of stdio, together with its rights, which have
// no seek: then libraries write line by line, rather than to keep kilobytes
// until an end that never comes, or in an image.
var stdioStat = stat{filetype: typeCharacter}

func (f *file) filestat() stat {
	if f.kind.stdio() {
		return stdioStat
	}
	return f.stat
}

func statOf(name string, info fs.FileInfo) stat {
	st := stat{inode: inodeOf(name), filetype: typeOf(info.Mode())}
	if info.Mode().IsRegular() {
		st.size = uint64(max(info.Size(), 0))
	}
	const last = math.MaxInt64/1_000_000_000 - 1 // second that an int64 of nanoseconds holds
	if sec := info.ModTime().Unix(); sec >= 0 && sec <= last {
		st.time = uint64(info.ModTime().UnixNano())
	}
	return st
}

// inodeOf numbers a file by its name, because trees have no numbers of their
// own and runtimes take files with equal ones for one file. It is never 0,
// which means "look it up".
func inodeOf(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return h.Sum64() | 1
}

func typeOf(mode fs.FileMode) byte {
	switch {
	case mode.IsRegular():
		return typeRegular
	case mode.IsDir():
		return typeDirectory
	case mode&fs.ModeSymlink != 0:
		return typeSymlink
	case mode&fs.ModeCharDevice != 0:
		return typeCharacter
	case mode&fs.ModeDevice != 0:
		return typeBlock
	}
	return typeUnknown
}

// readAt reads of a regular file from off on. It returns fewer bytes only at
// the end.
func (f *file) readAt(s *State, p []byte, off int64) (int, Errno) {
	if uint64(off) >= f.stat.size {
		return 0, OK
	}
	if f.at == nil {
		if e := f.hold(s); e != OK {
			return 0, e
		}
	}
	n, err := f.at.ReadAt(p, off)
	if err != nil && err != io.EOF && n == 0 {
		return 0, errnoOf(err)
	}
	return n, OK
}

// hold takes in the content of a file that can only be read from start to end.
func (f *file) hold(s *State) Errno {
	if f.stat.size > MaxHeld {
		return EFBIG
	}
	size := int64(f.stat.size)
	if s.held+size > MaxHeld {
		return ENOMEM
	}
	content := make([]byte, size)
	n, err := io.ReadFull(f.open, content)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return errnoOf(err)
	}
	s.held += size
	f.held, f.at = size, bytes.NewReader(content[:n])
	return OK
}

func (f *file) close(s *State) error {
	s.held -= f.held
	f.held = 0
	if f.open == nil {
		return nil
	}
	open := f.open
	f.open = nil
	return open.Close()
}
