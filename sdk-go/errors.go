package wasmill

import (
	"errors"
	"strconv"
)

// Errno is an error number of the interface. The values are those of Linux.
type Errno int32

// The error numbers that calls give.
const (
	EPERM   Errno = 1  // not allowed here
	ENOENT  Errno = 2  // absent
	EIO     Errno = 5  // the host failed; the batch will be dropped
	E2BIG   Errno = 7  // longer than a limit of the job
	EBADF   Errno = 9  // no such store, output or metric
	EAGAIN  Errno = 11 // try again later
	ENOMEM  Errno = 12 // out of memory
	EFAULT  Errno = 14 // an address outside of the memory
	EINVAL  Errno = 22 // a malformed argument or frame
	ENOSPC  Errno = 28 // over a quota
	ENOSYS  Errno = 38 // not in this host
	ENOTSUP Errno = 95 // not for this step
)

// Error returns what the number says.
func (e Errno) Error() string {
	switch e {
	case EPERM:
		return "not allowed here"
	case ENOENT:
		return "absent"
	case EIO:
		return "the host failed"
	case E2BIG:
		return "longer than limits in the job file allow (max_record, max_emit, max_key, max_value)"
	case EBADF:
		return "the job file declares nothing of this name"
	case EAGAIN:
		return "try again later"
	case ENOMEM:
		return "out of memory"
	case EFAULT:
		return "an address outside of the memory"
	case EINVAL:
		return "a malformed argument"
	case ENOSPC:
		return "over a quota"
	case ENOSYS:
		return "this host does not have the call"
	case ENOTSUP:
		return "not for this step"
	}
	return "error number " + strconv.Itoa(int(e))
}

// CallError is a call to the host that failed. Unwrap gives the Errno.
type CallError struct {
	Call  string // the host function
	On    string // the store, output or metric; "" for none
	Errno Errno
}

func (e *CallError) Error() string {
	if e.On == "" {
		return "wasmill: " + e.Call + ": " + e.Errno.Error()
	}
	return "wasmill: " + e.Call + " " + e.On + ": " + e.Errno.Error()
}

func (e *CallError) Unwrap() error { return e.Errno }

// Coder is an error that brings its own code for the rejected record: a
// number of the step's choice, 1 and above, that comes out in the dead letter
// and in metrics. Other errors have the code 0, a panic has CodePanic.
type Coder interface {
	error
	Code() int32
}

// CodePanic is the code of a record at which the step panicked.
const CodePanic int32 = -1

func codeOf(err error) int32 {
	var c Coder
	if errors.As(err, &c) {
		return c.Code()
	}
	return 0
}

func errnoOf(err error) int32 {
	var n Errno
	if errors.As(err, &n) && n > 0 {
		return int32(n)
	}
	return int32(EINVAL)
}
