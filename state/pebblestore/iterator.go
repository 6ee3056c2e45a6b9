package pebblestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/wasmill/wasmill/state"
)

type iterator struct {
	store *Store
	it    *pebble.Iterator // nil once closed
	begun bool             // it has been moved
	on    bool             // it is on a key
	err   error
}

func (i *iterator) Next() bool {
	if !i.good() {
		return false
	}
	switch {
	case !i.begun:
		i.begun = true
		i.on = i.it.First()
	case i.on:
		i.on = i.it.Next()
	}
	return i.on
}

func (i *iterator) SeekGE(key []byte) bool {
	if !i.good() {
		return false
	}
	i.begun = true
	i.on = i.it.SeekGE(key)
	return i.on
}

func (i *iterator) good() bool {
	if i.err == nil {
		if i.it == nil {
			i.err = fmt.Errorf("iterator: %w", state.ErrClosed)
		} else {
			i.err = i.store.err()
		}
	}
	if i.err != nil {
		i.on = false
	}
	return i.err == nil
}

// Key returns nil if the iterator is not on a key.
func (i *iterator) Key() []byte {
	if !i.on {
		return nil
	}
	return i.it.Key()
}

func (i *iterator) Value() []byte {
	if !i.on {
		return nil
	}
	v, err := i.it.ValueAndErr()
	if err != nil {
		i.err = fmt.Errorf("state: read a value: %w", err)
		return nil
	}
	return v
}

func (i *iterator) Err() error {
	if i.err != nil || i.it == nil {
		return i.err
	}
	if err := i.it.Error(); err != nil {
		return fmt.Errorf("state: iterate: %w", err)
	}
	return nil
}

func (i *iterator) Close() error {
	if i.it == nil {
		return fmt.Errorf("iterator: %w", state.ErrClosed)
	}
	err := i.it.Close()
	i.it, i.on = nil, false
	if err != nil && i.err == nil {
		return fmt.Errorf("state: iterate: %w", err)
	}
	return nil
}
