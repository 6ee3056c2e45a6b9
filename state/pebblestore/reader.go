package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/wasmill/wasmill/state"
)

// source is what a pebble.DB and a pebble.Snapshot have in common.
type source interface {
	Get(key []byte) (value []byte, closer io.Closer, err error)
	NewIter(*pebble.IterOptions) (*pebble.Iterator, error)
}

type reader struct {
	store *Store
	src   source
}

func (r *reader) Get(key, dst []byte) (value []byte, ok bool, err error) {
	if err := r.store.err(); err != nil {
		return dst, false, err
	}
	v, closer, err := r.src.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, r.wrap("get", err)
	}
	value = append(dst, v...)
	if err := closer.Close(); err != nil {
		return dst, false, r.wrap("get", err)
	}
	return value, true, nil
}

func (r *reader) Iterate(lower, upper []byte) (state.Iterator, error) {
	if err := r.store.err(); err != nil {
		return nil, err
	}
	if upper != nil && bytes.Compare(lower, upper) > 0 {
		lower = upper // Pebble wants no range that runs backwards
	}
	it, err := r.src.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, r.wrap("iterate", err)
	}
	return &iterator{store: r.store, it: it}, nil
}

func (r *reader) wrap(op string, err error) error {
	if failed := r.store.err(); failed != nil {
		return failed
	}
	return fmt.Errorf("state: %s: %w", op, err)
}

// snapshot is a reader with a Pebble snapshot; snap is nil if the store could
// not be used any more when it was made.
type snapshot struct {
	reader
	snap   *pebble.Snapshot
	closed atomic.Bool
}

func (s *snapshot) Get(key, dst []byte) (value []byte, ok bool, err error) {
	if err := s.err(); err != nil {
		return dst, false, err
	}
	return s.reader.Get(key, dst)
}

func (s *snapshot) Iterate(lower, upper []byte) (state.Iterator, error) {
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.reader.Iterate(lower, upper)
}

func (s *snapshot) err() error {
	if s.closed.Load() {
		return fmt.Errorf("snapshot: %w", state.ErrClosed)
	}
	return s.store.err()
}

func (s *snapshot) Close() error {
	if s.closed.Swap(true) {
		return fmt.Errorf("snapshot: %w", state.ErrClosed)
	}
	if s.snap == nil {
		return nil
	}
	return s.snap.Close()
}
