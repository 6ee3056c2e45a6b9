package guest

import (
	"fmt"

	"github.com/wasmill/wasmill/abi"
)

// memory is where a host function finds its arguments and puts its reply: the
// guest's memory, or for a program over fd 0 and 1 the frame of its request.
type memory interface {
	Read(offset, byteCount uint32) ([]byte, bool)
	Size() uint32
}

// view returns n bytes of guest memory at ptr, good until the guest runs. An
// address outside of the memory is a fault in the ABI: the guest gets
// EFAULT, and the call ends with a Trap whatever the guest makes of it.
func (in *instance) view(m memory, function string, ptr, n uint64) ([]byte, bool) {
	b, ok := m.Read(uint32(ptr), uint32(n))
	if !ok {
		in.faulty("%s got %d bytes at %#x, but the memory has %d bytes", function, uint32(n), uint32(ptr), m.Size())
	}
	return b, ok
}

// faulty keeps the first fault in the ABI of this call.
func (in *instance) faulty(format string, args ...any) {
	if in.fault == "" {
		in.fault = fmt.Sprintf(format, args...)
	}
}

// reply copies value into the guest's buffer, or answers with the length
// that it needs.
func reply(s []uint64, buf, value []byte) {
	if len(value) <= len(buf) {
		copy(buf, value)
	}
	setLen(s, len(value))
}

// running reports whether records or the end of the input are being
// processed; state and outputs are reached only then, and not from
// wasmill_alloc, which comes before.
func (in *instance) running(s []uint64) bool {
	if in.placing || in.op != abi.OpBatch && in.op != abi.OpEnd {
		setErrno(s, abi.EPERM)
		return false
	}
	return true
}
