// Package state holds the contracts of keyed storage: Store, Batch,
// Iterator, Snapshot. A Store holds committed data only; what is not yet
// committed lives in an overlay above it. FORMAT.md gives the layout of what
// wasmill keeps in one.
package state

import "errors"

// ErrLocked says that another process has the store open.
var ErrLocked = errors.New("state: the store is in use")

// ErrOutcomeUnknown says that a commit may or may not be in the store: the
// store must be closed and opened again to find out.
var ErrOutcomeUnknown = errors.New("state: the outcome of a commit is unknown")

// ErrClosed is returned by calls on a closed Store.
var ErrClosed = errors.New("state: the store is closed")

// Reader is what a Store and a Snapshot have in common. It is safe for
// concurrent use.
type Reader interface {
	// Get appends the value of key to dst and reports whether there is one.
	Get(key, dst []byte) (value []byte, ok bool, err error)

	// Iterate returns an iterator over the keys in [lower, upper) in
	// ascending order of their bytes; a nil bound is open. The iterator sees
	// the Reader as it was when Iterate was called, and must be closed.
	Iterate(lower, upper []byte) (Iterator, error)
}

// Store is an ordered map from keys to values that survives a crash.
type Store interface {
	Reader

	// NewBatch returns an empty batch.
	NewBatch() Batch

	// Snapshot returns the store as it is now. It must be closed.
	Snapshot() Snapshot

	// Close waits for no one: all batches, iterators and snapshots must be
	// done with.
	Close() error
}

// Snapshot is a Reader that does not change.
type Snapshot interface {
	Reader
	Close() error
}

// Batch is a set of writes that become visible together. It is used by one
// goroutine. Later writes of a key win.
type Batch interface {
	// Set and Delete copy their arguments. They are cheapest in key order.
	Set(key, value []byte) error
	Delete(key []byte) error

	// DeleteRange deletes the keys in [lower, upper). Neither bound is open: a
	// nil upper is the empty key, and nothing is deleted.
	DeleteRange(lower, upper []byte) error

	// Len returns the bytes that the batch holds.
	Len() int

	// Commit applies the batch and is its end; with sync it and all commits
	// before it are on stable storage when Commit returns. After a crash a
	// store has the commits up to some point, at least the last one with sync.
	// An error that is ErrOutcomeUnknown leaves the outcome open, and every
	// later call of the store but Close returns it too; any other error means
	// that nothing was applied and Commit may be called again.
	Commit(sync bool) error

	// Close frees the batch; without a Commit before, nothing is applied. It
	// may be called after Commit and more than once.
	Close() error
}

// Iterator walks over keys in order. It begins before the first one, is used
// by one goroutine and must be closed.
type Iterator interface {
	// Next moves to the next key and reports whether there is one.
	Next() bool

	// SeekGE moves to the first key in the iterator's bounds that is not below
	// key, forwards or backwards.
	SeekGE(key []byte) bool

	// Key and Value are views that are good until the next move. Off a key
	// they are nil.
	Key() []byte
	Value() []byte

	// Err returns the error that ended the walk, nil at its regular end.
	Err() error
	Close() error
}
