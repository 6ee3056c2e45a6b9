package wasi

import (
	"errors"
	"io/fs"
	"syscall"
)

// Errno is an error number of WASI preview 1, which is what all functions
// but proc_exit answer with. The zero value is success.
type Errno uint16

// The error numbers that this package answers with.
const (
	OK           Errno = 0
	EACCES       Errno = 2
	EBADF        Errno = 8
	EEXIST       Errno = 20
	EFAULT       Errno = 21
	EFBIG        Errno = 22
	EILSEQ       Errno = 25
	EINVAL       Errno = 28
	EIO          Errno = 29
	EISDIR       Errno = 31
	ELOOP        Errno = 32
	EMFILE       Errno = 33
	ENAMETOOLONG Errno = 37
	ENOENT       Errno = 44
	ENOMEM       Errno = 48
	ENOSYS       Errno = 52
	ENOTDIR      Errno = 54
	ENOTSUP      Errno = 58
	EPERM        Errno = 63
	EROFS        Errno = 69
	ESPIPE       Errno = 70
)

// errnoOf returns the number for an error of a tree.
func errnoOf(err error) Errno {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return ENOENT
	case errors.Is(err, fs.ErrPermission):
		return EACCES
	case errors.Is(err, fs.ErrInvalid):
		return EINVAL
	}
	return EIO
}
