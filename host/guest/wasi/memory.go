package wasi

import (
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero/api"
)

var le = binary.LittleEndian

// view returns the n bytes of guest memory at ptr, or false if they are not
// all there. They are the memory itself, good until the guest runs. An end of
// 2^32 is refused also where the memory is as large as that: api.Memory adds
// in 32 bits, and no allocator hands that byte out, for the end of what it
// lies in would be 0.
func view(m api.Memory, ptr, n uint32) ([]byte, bool) {
	if uint64(ptr)+uint64(n) > math.MaxUint32 {
		return nil, false
	}
	return m.Read(ptr, n)
}

// vector is a list of buffers in guest memory: pairs of address and length, 4
// bytes each. The guest may have put the list where it is written to while it
// is worked through; so every step looks at the bounds again.
type vector struct {
	m    api.Memory
	list []byte
	left uint64 // bytes that this call may still move
}

// vectorAt returns the list of n buffers at ptr, or EFAULT if a part of it or
// of the buffers is out of bounds, so that a faulty list moves nothing.
func vectorAt(m api.Memory, ptr, n uint32) (vector, Errno) {
	if n > MaxVector {
		return vector{}, EINVAL
	}
	list, ok := view(m, ptr, 8*n)
	if !ok {
		return vector{}, EFAULT
	}
	for e := list; len(e) > 0; e = e[8:] {
		if size := le.Uint32(e[4:]); size > 0 {
			if _, ok := view(m, le.Uint32(e), size); !ok {
				return vector{}, EFAULT
			}
		}
	}
	return vector{m, list, MaxCall}, OK
}

// next returns the next buffer that is not empty, cut to what the call may
// still move, or false if there is none.
func (v *vector) next() ([]byte, bool) {
	for len(v.list) > 0 && v.left > 0 {
		ptr, size := le.Uint32(v.list), le.Uint32(v.list[4:])
		v.list = v.list[8:]
		size = uint32(min(uint64(size), v.left))
		if size == 0 {
			continue
		}
		v.left -= uint64(size)
		return view(v.m, ptr, size)
	}
	return nil, false
}
