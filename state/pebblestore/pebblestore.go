// Package pebblestore is a state.Store on the disk: a Pebble database in a
// directory of its own. FORMAT.md in the directory above says what is in it.
//
// A store stops at the first write to disk that fails. The commit that was
// under way returns state.ErrOutcomeUnknown, and so does every later call but
// Close; opened again, the store has all commits up to some point, among them
// every one that was synced.
package pebblestore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/wasmill/wasmill/state"
)

// Store is a state.Store. It is safe for concurrent use; commits are applied
// one after the other.
type Store struct {
	reader
	db     *pebble.DB
	lock   *pebble.Lock
	fence  *fence
	closed atomic.Bool
}

var _ state.Store = (*Store)(nil)

// Open opens the store in dir and creates both if need be. If the store is
// open already, here or in another process, the error is state.ErrLocked.
func Open(dir string, opts Options) (*Store, error) {
	s, err := open(dir, opts)
	if err != nil {
		return nil, fmt.Errorf("state: open %s: %w", dir, err)
	}
	return s, nil
}

func open(dir string, opts Options) (*Store, error) {
	fs := opts.FS
	if fs == nil {
		fs = vfs.Default
	}
	if !opts.ReadOnly {
		if err := fs.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if opts.FS == nil {
		// A lock inside of one process goes by the name of the directory.
		var err error
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	lock, err := pebble.LockDirectory(dir, fs)
	if err != nil {
		return nil, lockError(err)
	}
	fence := &fence{FS: fs}
	db, err := pebble.Open(dir, opts.pebble(fence, lock))
	if failed := fence.failed(); failed != nil {
		// What the fence has seen is the cause of whatever Pebble says.
		if err == nil {
			db.Close()
		}
		err = failed
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s := &Store{db: db, lock: lock, fence: fence}
	s.reader = reader{store: s, src: db}
	return s, nil
}

// lockError tells a lock that is held from one that cannot be taken.
func lockError(err error) error {
	var no syscall.Errno
	held := errors.As(err, &no) && no == syscall.EAGAIN ||
		strings.Contains(err.Error(), "held by current process")
	if held {
		return fmt.Errorf("%w: stop the other process first, or use another directory", state.ErrLocked)
	}
	return err
}

// NewBatch implements state.Store.
func (s *Store) NewBatch() state.Batch {
	return &batch{store: s, b: s.db.NewBatch()}
}

// Snapshot implements state.Store.
func (s *Store) Snapshot() state.Snapshot {
	if s.err() != nil {
		return &snapshot{reader: reader{store: s}}
	}
	snap := s.db.NewSnapshot()
	return &snapshot{reader: reader{store: s, src: snap}, snap: snap}
}

// Close implements state.Store. It frees everything even if it returns an
// error.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return state.ErrClosed
	}
	failed := s.fence.failed()
	err := errors.Join(s.db.Close(), s.lock.Close())
	if failed != nil {
		// The commits that failed have said so; a close cannot.
		return nil
	}
	if err == nil {
		err = s.fence.failed()
	}
	if err != nil {
		return fmt.Errorf("state: close: %w", err)
	}
	return nil
}

// err returns why the store cannot be used any more.
func (s *Store) err() error {
	if s.closed.Load() {
		return state.ErrClosed
	}
	return s.fence.failed()
}
