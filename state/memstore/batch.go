package memstore

import (
	"bytes"
	"fmt"

	"github.com/wasmill/wasmill/state"
)

type batch struct {
	store  *Store
	writes []write
	bytes  int
	done   bool // committed or closed
}

// write is a set, or with ranged the deletion of [key, value).
type write struct {
	key, value []byte
	ranged     bool
}

func (b *batch) Set(key, value []byte) error {
	return b.add(write{key: notNil(bytes.Clone(key)), value: notNil(bytes.Clone(value))})
}

func (b *batch) Delete(key []byte) error {
	key = notNil(bytes.Clone(key))
	return b.add(write{key: key, value: after(key), ranged: true})
}

func (b *batch) DeleteRange(lower, upper []byte) error {
	return b.add(write{key: bytes.Clone(lower), value: bytes.Clone(upper), ranged: true})
}

func (b *batch) add(w write) error {
	if err := b.err(); err != nil {
		return err
	}
	b.writes = append(b.writes, w)
	b.bytes += len(w.key) + len(w.value)
	return nil
}

func (b *batch) Len() int { return b.bytes }

func (b *batch) Commit(sync bool) error {
	if err := b.err(); err != nil {
		return err
	}
	err := b.store.commit(b.apply, sync)
	b.done = err == nil
	return err
}

func (b *batch) apply(n *node) *node {
	for _, w := range b.writes {
		if w.ranged {
			n = deleteRange(n, w.key, w.value)
		} else {
			n = set(n, w.key, w.value)
		}
	}
	return n
}

func (b *batch) Close() error {
	b.done, b.writes = true, nil
	return nil
}

func (b *batch) err() error {
	if b.done {
		return fmt.Errorf("memstore: batch: %w", state.ErrClosed)
	}
	return b.store.err()
}
