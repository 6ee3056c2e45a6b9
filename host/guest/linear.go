package guest

import "github.com/tetratelabs/wazero/experimental"

// linearMemory is the memory of one instance. It reserves its maximum at
// once, outside of the Go heap, and the system commits a page when the guest
// first touches it: growing moves nothing, the garbage collector does not see
// it, and Free gives it back at once. Where it cannot be reserved it is an
// ordinary slice. A view of it must not be touched after Free.
type linearMemory struct {
	mapped []byte // the whole reservation; nil: heap is in use
	heap   []byte
}

// Allocate implements experimental.MemoryAllocator. An instance has one memory.
func (l *linearMemory) Allocate(_, most uint64) experimental.LinearMemory {
	l.mapped, _ = reserve(most) // without it, the heap does
	return l
}

// Reallocate implements experimental.LinearMemory.
func (l *linearMemory) Reallocate(size uint64) []byte {
	if l.mapped != nil {
		if size > uint64(len(l.mapped)) {
			return nil
		}
		return l.mapped[:size:size]
	}
	if size > uint64(cap(l.heap)) {
		l.heap = append(make([]byte, 0, size), l.heap...)
	}
	l.heap = l.heap[:size]
	return l.heap
}

// Free implements experimental.LinearMemory. It may be called again.
func (l *linearMemory) Free() {
	if l.mapped != nil {
		release(l.mapped)
	}
	l.mapped, l.heap = nil, nil
}
