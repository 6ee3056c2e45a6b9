// Package memstore is a state.Store in memory: for tests and simulations,
// with hooks that inject faults and a Disk that survives a simulated crash.
package memstore

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/wasmill/wasmill/state"
)

// Options are the hooks of a Store. All are optional. They are called without
// a lock of the store held, so that a hook may block while others read.
type Options struct {
	// BeforeCommit is called by a Commit before it applies anything. If it
	// returns an error, nothing is applied and Commit returns the error.
	BeforeCommit func(sync bool) error

	// AfterCommit is called by a Commit after it has applied its writes, and
	// Commit returns what it returns: nil or state.ErrOutcomeUnknown.
	AfterCommit func(sync bool) error

	// BeforeRead is called by Get, Iterate and each move of an iterator, also
	// of a snapshot's. An error is returned as the read's.
	BeforeRead func() error
}

// Store is a state.Store. After a commit that returned state.ErrOutcomeUnknown
// every call but Close fails, until the disk is opened again.
type Store struct {
	disk *Disk
	opts Options
	root atomic.Pointer[root]

	commits sync.Mutex // held by the commit that is under way
	failure atomic.Pointer[failure]
}

type root struct{ *node }

type failure struct{ err error }

var _ state.Store = (*Store)(nil)

// New returns an empty Store on a Disk of its own.
func New(opts Options) *Store {
	s, err := new(Disk).Open(opts)
	if err != nil {
		panic(err) // a fresh disk is not locked
	}
	return s
}

// Disk returns the disk that the store is on.
func (s *Store) Disk() *Disk { return s.disk }

// Get implements state.Reader.
func (s *Store) Get(key, dst []byte) (value []byte, ok bool, err error) {
	return s.now().Get(key, dst)
}

// Iterate implements state.Reader.
func (s *Store) Iterate(lower, upper []byte) (state.Iterator, error) {
	return s.now().Iterate(lower, upper)
}

// NewBatch implements state.Store.
func (s *Store) NewBatch() state.Batch { return &batch{store: s} }

// Snapshot implements state.Store.
func (s *Store) Snapshot() state.Snapshot { return s.now() }

func (s *Store) now() *snapshot { return &snapshot{store: s, root: s.root.Load().node} }

// Close implements state.Store. What was committed without sync stays, unless
// the disk crashes.
func (s *Store) Close() error {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	if s.disk.open != s {
		return fmt.Errorf("memstore: %w", state.ErrClosed)
	}
	s.disk.open = nil
	s.failure.Store(&failure{state.ErrClosed})
	return nil
}

// err returns why the store can no longer be used.
func (s *Store) err() error {
	if f := s.failure.Load(); f != nil {
		return fmt.Errorf("memstore: %w", f.err)
	}
	return nil
}

// fail makes all later calls return err, unless they fail already.
func (s *Store) fail(err error) { s.failure.CompareAndSwap(nil, &failure{err}) }

func (s *Store) commit(write func(*node) *node, sync bool) error {
	s.commits.Lock()
	defer s.commits.Unlock()
	if err := s.err(); err != nil {
		return err
	}
	if h := s.opts.BeforeCommit; h != nil {
		if err := h(sync); err != nil {
			return s.outcome(err)
		}
	}
	if err := s.disk.commit(s, write, sync); err != nil {
		return err
	}
	if h := s.opts.AfterCommit; h != nil {
		return s.outcome(h(sync))
	}
	return nil
}

func (s *Store) outcome(err error) error {
	if errors.Is(err, state.ErrOutcomeUnknown) {
		s.fail(state.ErrOutcomeUnknown)
	}
	return err
}

func (s *Store) read() error {
	if err := s.err(); err != nil {
		return err
	}
	if h := s.opts.BeforeRead; h != nil {
		return h()
	}
	return nil
}
