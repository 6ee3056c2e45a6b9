// Package image has the memory of instances: where it lies, who pays for it,
// and images, by which an instance begins where another had got to.
package image

import (
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
)

// Options are those of a Memory.
type Options struct {
	Limit   uint64   // bytes that the memory may grow to
	Account *Account // pays for it; nil = nobody
	Image   *Image   // what it holds at first, up to the image's size; nil = zeroes
}

// Memory is the linear memory of one instance: wazero's allocator and what it
// allocates in one. It reserves Limit of address space at once, outside of
// the Go heap; the system gives it a page when the guest first touches it.
// So growing moves nothing, the garbage collector does not see it, Free gives
// it back at once, and no page ever comes from another instance. It belongs
// to one instance; views of it must not be touched after Free.
type Memory struct {
	o       Options
	space   []byte // the whole reservation
	open    uint64 // bytes of it that can be accessed
	size    uint64 // what the guest has
	charged uint64
	refused string
}

// NewMemory reserves a memory. The error says what to do if there is no
// address space.
func NewMemory(o Options) (*Memory, error) {
	if o.Image != nil && o.Image.size > o.Limit {
		return nil, fmt.Errorf("an image of %d bytes does not fit into a memory of at most %d: raise limits.memory", o.Image.size, o.Limit)
	}
	space, err := reserve(o.Limit)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve %d bytes of address space: %w: raise ulimit -v, or lower limits.memory", o.Limit, err)
	}
	m := &Memory{o: o, space: space}
	if o.Image != nil {
		if err := o.Image.lay(space); err != nil {
			m.Free()
			return nil, fmt.Errorf("mapping an image of %d bytes: %w", o.Image.size, err)
		}
		m.open = o.Image.size
	}
	return m, nil
}

// Allocate implements experimental.MemoryAllocator.
func (m *Memory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. It returns nil if the
// memory may not have that size: see Refused.
func (m *Memory) Reallocate(size uint64) []byte {
	switch {
	case size > uint64(len(m.space)):
		m.refused = fmt.Sprintf("it may grow to %d bytes (limits.memory)", m.o.Limit)
		return nil
	case size > m.charged && m.o.Account != nil && !m.o.Account.charge(size-m.charged):
		m.refused = fmt.Sprintf("all instances together may have %d bytes, and have %d", m.o.Account.limit, m.o.Account.Used())
		return nil
	}
	m.charged = max(m.charged, size)
	if size > m.open {
		if err := unlock(m.space[m.open:size]); err != nil {
			m.refused = fmt.Sprintf("the system refuses %d bytes more: %v", size-m.open, err)
			return nil
		}
		m.open = size
	}
	m.size = size
	return m.space[:size:size]
}

// Size returns the bytes that the guest has.
func (m *Memory) Size() uint64 { return m.size }

// Refused says why the memory could not grow when it last could not, "" if
// it always could.
func (m *Memory) Refused() string { return m.refused }

// Free implements experimental.LinearMemory. It may be called again.
func (m *Memory) Free() {
	if m.space != nil {
		release(m.space)
	}
	if m.o.Account != nil {
		m.o.Account.give(m.charged)
	}
	m.space, m.open, m.size, m.charged = nil, 0, 0, 0
}
