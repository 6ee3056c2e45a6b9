package guest

import (
	"encoding/binary"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// firstPosition returns the position of the first of encoded records.
func firstPosition(records []byte) record.Position {
	return record.Position(binary.LittleEndian.Uint64(records[8:]))
}

// emit(ptr, len). A frame that is refused would be lost if the guest did not
// look at the answer, so any refusal ends the call as a fault in the ABI.
func hostEmit(in *instance, m memory, s []uint64) {
	if !in.running(s) {
		return
	}
	frame, ok := in.view(m, "emit", s[0], s[1])
	if !ok {
		setErrno(s, abi.EFAULT)
		return
	}
	setErrno(s, in.emit(frame))
}

// emit takes a frame of records.
func (in *instance) emit(frame []byte) abi.Errno {
	if in.emitted+len(frame) > in.limits.Emit {
		in.faulty("emit got more than %d bytes in one call (limits.max_emit)", in.limits.Emit)
		return abi.E2BIG
	}
	in.emitted += len(frame)
	e := in.calls.Emit(frame)
	if e != abi.OK {
		in.refused(e, frame)
	}
	return e
}

// refused finds out what is wrong with a frame.
func (in *instance) refused(e abi.Errno, frame []byte) {
	if _, err := wire.Parse(frame); err != nil {
		in.faulty("emit got a malformed frame: %v", err)
		return
	}
	in.faulty("emit got a frame that the host refused with %s: a record is too long, or names an output or cause that does not exist", e)
}

// fail(index, code, ptr, len). A refusal ends the call, as with emit.
func hostFail(in *instance, m memory, s []uint64) {
	if !in.running(s) {
		return
	}
	message, ok := in.view(m, "fail", s[2], s[3])
	if !ok {
		setErrno(s, abi.EFAULT)
		return
	}
	setErrno(s, in.reject(uint32(s[0]), int32(uint32(s[1])), message))
}

// reject rejects one record of the batch.
func (in *instance) reject(index uint32, code int32, text []byte) abi.Errno {
	if uint64(index) >= uint64(in.records) {
		in.faulty("fail got record %d of a call with %d", index, in.records)
		return abi.EINVAL
	}
	e := in.calls.Fail(index, code, text)
	if e != abi.OK {
		in.faulty("fail was refused with %s", e)
	}
	return e
}

// resume(ptr, len)
func hostResume(in *instance, m memory, s []uint64) {
	if !in.running(s) {
		return
	}
	token, ok := in.view(m, "resume", s[0], s[1])
	switch {
	case !ok:
		setErrno(s, abi.EFAULT)
	case in.op != abi.OpEnd:
		setErrno(s, abi.EPERM)
	case len(token) > abi.MaxResume:
		setErrno(s, abi.E2BIG)
	default:
		setErrno(s, in.calls.Resume(token))
	}
}
