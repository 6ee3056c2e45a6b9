package memstore

import (
	"fmt"
	"slices"
	"sync"

	"github.com/wasmill/wasmill/state"
)

// Disk is what outlives a Store: the commits that were made through it. The
// zero Disk is empty. It is safe for concurrent use.
type Disk struct {
	mu      sync.Mutex
	synced  *node   // as of the last commit with sync
	pending []*node // as of each commit since
	open    *Store  // nil if none is
}

// Open opens a Store on the disk. Only one can be open at a time: otherwise
// the error is state.ErrLocked.
func (d *Disk) Open(opts Options) (*Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		return nil, fmt.Errorf("memstore: %w", state.ErrLocked)
	}
	s := &Store{disk: d, opts: opts}
	s.root.Store(&root{d.last()})
	d.open = s
	return s, nil
}

// Crash ends the open Store, if there is one, as a power failure would: its
// later calls return state.ErrClosed and change nothing. Of the n commits that
// came after the last one with sync, the disk keeps the first keep(n); a nil
// keep keeps all of them, as after the end of the process alone.
func (d *Disk) Crash(keep func(n int) int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if keep != nil {
		n := keep(len(d.pending))
		d.pending = slices.Delete(d.pending, n, len(d.pending))
	}
	if d.open != nil {
		d.open.fail(state.ErrClosed)
		d.open = nil
	}
}

func (d *Disk) last() *node {
	if n := len(d.pending); n > 0 {
		return d.pending[n-1]
	}
	return d.synced
}

// commit applies write to what the disk has, unless s was ended meanwhile.
func (d *Disk) commit(s *Store, write func(*node) *node, sync bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := s.err(); err != nil {
		return err
	}
	n := write(d.last())
	if sync {
		d.synced, d.pending = n, nil
	} else {
		d.pending = append(d.pending, n)
	}
	s.root.Store(&root{n})
	return nil
}
