package abi

import "strconv"

// Errno is an error number. Calls return it negated; the values are those
// of Linux, so that guests may use their own tables.
type Errno int32

// The error numbers that host functions return and guests may return.
const (
	OK      Errno = 0
	EPERM   Errno = 1  // not allowed here (secret during init)
	ENOENT  Errno = 2  // absent
	EIO     Errno = 5  // the host failed; the batch will be dropped
	E2BIG   Errno = 7  // longer than a limit
	EBADF   Errno = 9  // no such store, output or metric
	EAGAIN  Errno = 11 // try again later
	ENOMEM  Errno = 12 // out of memory
	EFAULT  Errno = 14 // an address outside of the guest's memory
	EINVAL  Errno = 22 // a malformed argument or frame
	ENOSPC  Errno = 28 // over a quota
	ENOSYS  Errno = 38 // not in this host
	ENOTSUP Errno = 95 // not for this step
)

var errnoNames = map[Errno]string{
	OK: "OK", EPERM: "EPERM", ENOENT: "ENOENT", EIO: "EIO", E2BIG: "E2BIG", EBADF: "EBADF", EAGAIN: "EAGAIN",
	ENOMEM: "ENOMEM", EFAULT: "EFAULT", EINVAL: "EINVAL", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS", ENOTSUP: "ENOTSUP",
}

// String returns the symbolic name, or "E" and the number.
func (e Errno) String() string {
	if s, ok := errnoNames[e]; ok {
		return s
	}
	return "E" + strconv.Itoa(int(e))
}

// Error makes an Errno usable as an error.
func (e Errno) Error() string { return e.String() }

// Status returns the value that crosses the border: the number negated.
func (e Errno) Status() int32 { return -int32(e) }
