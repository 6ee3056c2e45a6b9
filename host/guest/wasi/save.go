package wasi

import (
	"errors"
	"fmt"
)

// ErrNotImageable is the error of Save while files are open that it cannot
// keep.
var ErrNotImageable = errors.New("wasi: not imageable")

// A saved State, little-endian:
//
//	byte  0     version, 1
//	byte  1     bits 0 to 3: the file descriptor is open as at the start;
//	            bit 7: there is a tree
//	bytes 2-9   monotonic clock, nanoseconds
//	bytes 10-17 wall clock without a batch, nanoseconds
const (
	saveVersion = 1
	saveSize    = 18
	saveTree    = 1 << 7
)

// Save returns what must be known to go on with an image of the instance in
// a State from the same Config: the clocks, and which of stdio and the tree's
// root are open. What was read from stdin and the random bytes drawn belong
// to whoever gave the readers. It is for the time between two batches. Any
// other open file is an error that wraps ErrNotImageable.
func (s *State) Save() ([]byte, error) {
	b := make([]byte, saveSize)
	b[0], b[1] = saveVersion, s.treeBit()
	for fd, f := range s.files {
		switch {
		case f == nil:
		case !f.preopen && !f.kind.stdio():
			return nil, fmt.Errorf("%w: file descriptor %d is open on %q: close it before the end of start-up", ErrNotImageable, fd, f.name)
		default:
			b[1] |= 1 << fd // preopens are not renumbered: fd is at most 3
		}
	}
	le.PutUint64(b[2:], uint64(s.clock.monotonic))
	le.PutUint64(b[10:], uint64(s.clock.start))
	return b, nil
}

// Restore makes a fresh State what it was when b was saved.
func (s *State) Restore(b []byte) error {
	switch {
	case len(b) == 0 || b[0] != saveVersion:
		return fmt.Errorf("wasi: a saved state begins with % x, not with version %d", b[:min(len(b), 1)], saveVersion)
	case len(b) != saveSize:
		return fmt.Errorf("wasi: a saved state has %d bytes, not %d", len(b), saveSize)
	case b[1]&saveTree != s.treeBit() || b[1]&^saveTree>>len(s.files) != 0:
		return fmt.Errorf("wasi: the saved state has other files than this one (bits %08b): save and restore with one configuration", b[1])
	}
	monotonic, start := int64(le.Uint64(b[2:])), int64(le.Uint64(b[10:]))
	if monotonic < 0 || start < 0 {
		return fmt.Errorf("wasi: a saved state has clocks before zero: %d and %d", monotonic, start)
	}
	for fd := range s.files {
		if b[1]&(1<<fd) == 0 {
			s.files[fd] = nil
		}
	}
	s.clock = clock{monotonic: monotonic, start: start}
	return nil
}

func (s *State) treeBit() byte {
	if s.config.Files == nil {
		return 0
	}
	return saveTree
}
