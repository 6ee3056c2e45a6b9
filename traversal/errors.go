package traversal

import (
	"errors"
	"io/fs"
	"syscall"
)

// ErrNotRegular is returned by FS.Open for what is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// Class says what an error of an FS means for the walk.
type Class uint8

// The classes. None of them ends a walk.
const (
	Unreadable Class = iota // no permission, an I/O error, and all that is not below
	Vanished                // was listed and is gone
	Changed                 // is of another kind than it was listed with
	Exhausted               // the process or system is out of descriptors or memory
)

// ClassOf returns the class of err, which is not nil.
func ClassOf(err error) Class {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Vanished
	case errors.Is(err, ErrNotRegular), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EISDIR):
		return Changed
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return Exhausted
	}
	return Unreadable
}
