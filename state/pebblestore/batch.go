package pebblestore

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/wasmill/wasmill/state"
)

// maxBatch is where Pebble would panic, less a record's overhead.
const maxBatch = 4<<30 - 1<<10

var errReadOnly = errors.New("state: the store is open for reading only")

type batch struct {
	store *Store
	b     *pebble.Batch // nil once committed or closed
}

func (b *batch) Set(key, value []byte) error {
	if err := b.check(len(key) + len(value)); err != nil {
		return err
	}
	return b.b.Set(key, value, nil)
}

func (b *batch) Delete(key []byte) error {
	if err := b.check(len(key)); err != nil {
		return err
	}
	return b.b.Delete(key, nil)
}

func (b *batch) DeleteRange(lower, upper []byte) error {
	if err := b.check(len(lower) + len(upper)); err != nil {
		return err
	}
	if string(lower) >= string(upper) {
		return nil
	}
	return b.b.DeleteRange(lower, upper, nil)
}

func (b *batch) check(add int) error {
	if b.b == nil {
		return fmt.Errorf("batch: %w", state.ErrClosed)
	}
	if b.b.Len()+add > maxBatch {
		return fmt.Errorf("state: a batch of more than 4 GiB: commit more often")
	}
	return nil
}

func (b *batch) Len() int {
	if b.b == nil || b.b.Empty() {
		return 0
	}
	return b.b.Len()
}

func (b *batch) Commit(sync bool) error {
	if b.b == nil {
		return fmt.Errorf("batch: %w", state.ErrClosed)
	}
	if err := b.store.err(); err != nil {
		return err
	}
	opts := pebble.NoSync
	if sync {
		opts = pebble.Sync
	}
	err := b.apply(opts)
	if failed := b.store.fence.failed(); failed != nil {
		// Pebble may still hold the batch: it is not used again.
		b.b = nil
		return failed
	}
	if errors.Is(err, pebble.ErrReadOnly) {
		return errReadOnly
	}
	if err != nil {
		return fmt.Errorf("state: commit: %w", err)
	}
	err = b.b.Close()
	b.b = nil
	if err != nil {
		return fmt.Errorf("%w: %w", state.ErrOutcomeUnknown, err)
	}
	return nil
}

// apply commits the batch. An empty one that is to be synced still syncs what
// was committed before it.
func (b *batch) apply(opts *pebble.WriteOptions) error {
	if b.b.Empty() && opts.Sync {
		return b.store.db.LogData(nil, opts)
	}
	return b.b.Commit(opts)
}

func (b *batch) Close() error {
	if b.b == nil {
		return nil
	}
	err := b.b.Close()
	b.b = nil
	return err
}
