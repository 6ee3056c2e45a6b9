package guest

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
)

// firstPosition returns the position of the first of encoded records.
func firstPosition(records []byte) record.Position {
	return record.Position(binary.LittleEndian.Uint64(records[8:]))
}

// emit(ptr, len)
func hostEmit(in *instance, m api.Memory, s []uint64) {
	if !in.running(s) {
		return
	}
	frame, ok := in.view(m, "emit", s[0], s[1])
	if !ok {
		setErrno(s, abi.EFAULT)
		return
	}
	if in.emitted+len(frame) > in.limits.Emit {
		setErrno(s, abi.E2BIG)
		return
	}
	in.emitted += len(frame)
	e := in.calls.Emit(frame)
	if e == abi.EINVAL {
		if _, err := wire.Parse(frame); err != nil {
			in.faulty("emit got a malformed frame: %v", err)
		} else {
			in.faulty("emit got a frame that names an output or a cause that does not exist")
		}
	}
	setErrno(s, e)
}

// fail(index, code, ptr, len)
func hostFail(in *instance, m api.Memory, s []uint64) {
	if !in.running(s) {
		return
	}
	message, ok := in.view(m, "fail", s[2], s[3])
	if !ok {
		setErrno(s, abi.EFAULT)
		return
	}
	index := uint32(s[0])
	if uint64(index) >= uint64(in.records) {
		setErrno(s, abi.EINVAL)
		return
	}
	setErrno(s, in.calls.Fail(index, int32(uint32(s[1])), message))
}

// resume(ptr, len)
func hostResume(in *instance, m api.Memory, s []uint64) {
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
