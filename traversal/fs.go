// Package traversal walks file trees in parallel. The walk sees the tree
// through FS, so that engines and fakes are interchangeable: localfs reads the
// local disk, fakefs is a tree in memory that fails on demand.
package traversal

import (
	"context"
	"io"
)

// Root is the path of the root of an FS. All other paths are relative to it,
// slash-separated and clean. Names and paths are bytes, not text: they need
// not be UTF-8.
const Root = "."

// FS is a tree of files. It is safe for concurrent use.
type FS interface {
	// ReadDir returns the entries of dir whose names are greater than after,
	// in byte order of the names, at most limit of them (limit > 0); more
	// tells whether the directory holds others behind them. Memory is bounded
	// by limit and not by the size of the directory, which is read anew for
	// each page. Symbolic links are reported, never followed, not even dir.
	//
	// stat says for which entries Size, ModTime and Mode are wanted; nil is
	// none. Entries that came with an error are all that could be listed.
	ReadDir(ctx context.Context, dir, after string, limit int, stat func(name string, kind Kind) bool) (entries []Entry, more bool, err error)

	// Stat describes path itself, even if it is a symbolic link.
	Stat(path string) (Entry, error)

	// Open opens a regular file for reading and describes it as it is now.
	// Anything else gives ErrNotRegular or a symbolic link's error at once: a
	// FIFO without a writer does not block.
	Open(path string) (File, Entry, error)
}

// File is an open regular file. ReadAt is safe for concurrent use.
type File interface {
	io.ReaderAt
	// Stat describes the open file as it is now; its Name is empty.
	Stat() (Entry, error)
	Close() error
}

// Entry is one name in a directory.
type Entry struct {
	Name    string
	Kind    Kind
	Mode    uint32 // permission, setuid, setgid and sticky bits as in Unix (07777)
	Size    int64  // in bytes
	ModTime int64  // nanoseconds since 1970, at the ends of int64 beyond the years 1677 to 2262
	Err     error  // why Mode, Size and ModTime are missing although they were asked for
}

// Kind is the kind of an entry.
type Kind uint8

// The kinds.
const (
	KindFile    Kind = iota + 1 // regular
	KindDir                     // directory
	KindSymlink                 // symbolic link, wherever it leads
	KindOther                   // FIFO, socket, device
)

// String returns the kind as records of entries spell it.
func (k Kind) String() string {
	switch k {
	case KindFile:
		return "file"
	case KindDir:
		return "dir"
	case KindSymlink:
		return "symlink"
	}
	return "other"
}

// Join returns the path of name in dir.
func Join(dir, name string) string {
	if dir == Root {
		return name
	}
	return dir + "/" + name
}
