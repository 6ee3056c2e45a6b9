package memstore

import (
	"fmt"
	"sync/atomic"

	"github.com/wasmill/wasmill/state"
)

type snapshot struct {
	store  *Store
	root   *node
	closed atomic.Bool
}

func (s *snapshot) read() error {
	if s.closed.Load() {
		return fmt.Errorf("memstore: snapshot: %w", state.ErrClosed)
	}
	return s.store.read()
}

func (s *snapshot) Get(key, dst []byte) (value []byte, ok bool, err error) {
	if err := s.read(); err != nil {
		return dst, false, err
	}
	n := get(s.root, key)
	if n == nil {
		return dst, false, nil
	}
	return append(dst, n.value...), true, nil
}

func (s *snapshot) Iterate(lower, upper []byte) (state.Iterator, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	it := &iterator{snapshot: s, root: s.root}
	if upper != nil {
		it.root, _ = split(it.root, upper)
	}
	_, it.root = split(it.root, lower)
	it.path = descend(nil, it.root)
	return it, nil
}

func (s *snapshot) Close() error {
	if s.closed.Swap(true) {
		return fmt.Errorf("memstore: snapshot: %w", state.ErrClosed)
	}
	return nil
}
