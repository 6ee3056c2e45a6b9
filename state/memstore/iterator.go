package memstore

import (
	"bytes"
	"fmt"

	"github.com/wasmill/wasmill/state"
)

type iterator struct {
	snapshot *snapshot
	root     *node
	path     []*node // the keys ahead whose right subtree is not walked, the next one last
	cur      *node
	err      error
	closed   bool
}

// descend appends n and its left descendants to path.
func descend(path []*node, n *node) []*node {
	for ; n != nil; n = n.left {
		path = append(path, n)
	}
	return path
}

func (it *iterator) Next() bool {
	if !it.good() || len(it.path) == 0 {
		return false
	}
	last := len(it.path) - 1
	it.cur = it.path[last]
	it.path = descend(it.path[:last], it.cur.right)
	return true
}

func (it *iterator) SeekGE(key []byte) bool {
	it.path = it.path[:0]
	for n := it.root; n != nil; {
		if bytes.Compare(n.key, key) >= 0 {
			it.path = append(it.path, n)
			n = n.left
		} else {
			n = n.right
		}
	}
	return it.Next()
}

// good reports whether the iterator may move, and leaves the current key.
func (it *iterator) good() bool {
	it.cur = nil
	if it.err == nil {
		if it.closed {
			it.err = fmt.Errorf("memstore: iterator: %w", state.ErrClosed)
		} else {
			it.err = it.snapshot.store.read()
		}
	}
	return it.err == nil
}

// Key returns nil if the iterator is not on a key.
func (it *iterator) Key() []byte {
	if it.cur == nil {
		return nil
	}
	return it.cur.key
}

func (it *iterator) Value() []byte {
	if it.cur == nil {
		return nil
	}
	return it.cur.value
}

func (it *iterator) Err() error { return it.err }

func (it *iterator) Close() error {
	if it.closed {
		return fmt.Errorf("memstore: iterator: %w", state.ErrClosed)
	}
	it.closed, it.cur, it.path = true, nil, nil
	return nil
}
