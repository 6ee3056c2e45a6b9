// Package overlay holds the state of one task that is not committed yet, over
// a store that holds what is.
//
// Writes go to the open delta. Seal turns it into the sealed one, which the
// epoch's commit writes to the store while the task goes on with a new open
// delta. Committed says that the store has it; its entries then move to the
// cache of clean entries. A read asks the open delta, the sealed one, the
// cache and the store, in this order; a delete is an entry in each of the
// first three. Rollback is to drop the overlay and make another.
//
// A read of the store cannot bring a stale value into the cache: reads and
// Committed are calls on one goroutine, and a key that the store may change
// under a read is in the sealed delta, which answers before the store.
package overlay

import (
	"hash/maphash"

	"github.com/wasmill/wasmill/state"
)

// Overlay is the state of one task over a store. It is used by one goroutine.
type Overlay struct {
	db     state.Reader
	seed   maphash.Seed
	open   *Delta
	sealed *Delta // nil unless a commit is outstanding
	spare  *Delta // an emptied one for the next Seal
	cache  cache
	stored *filter   // keys that db may have; nil: any
	bufs   [2][]byte // values read from db by this call and by the one before
	writes uint64    // counts what makes a Scan stale
}

// New returns an overlay over db. cacheBytes bounds the memory of the cache of
// clean entries, 0 means none; the cache keeps at least the half of it that
// was used last.
func New(db state.Reader, cacheBytes int) *Overlay {
	return &Overlay{
		db:    db,
		bufs:  [2][]byte{{}, {}},
		seed:  maphash.MakeSeed(),
		open:  &Delta{},
		cache: newCache(cacheBytes),
	}
}

// Empty says that the store has none of the keys that o will be asked for.
// From then on o knows which ones it may have, in a filter of an eighth of
// the cache's bytes, and does not look there for others: which is what most
// reads of a job that begins are about. It comes before any other call.
func (o *Overlay) Empty() { o.stored = newFilter(o.cache.limit / 4) }

func (o *Overlay) hash(key []byte) uint32 { return uint32(maphash.Bytes(o.seed, key)) }

// Get returns the value of key and whether there is one. The value is a view
// that is good until the next call on o has returned, so that it may be an
// argument of that call; it must not be written. An error is the store's.
func (o *Overlay) Get(key []byte) (value []byte, ok bool, err error) {
	h := o.hash(key)
	if _, r := o.open.find(h, key); r != nil {
		return found(recValue(r))
	}
	if o.sealed != nil {
		if _, r := o.sealed.find(h, key); r != nil {
			return found(recValue(r))
		}
	}
	if r := o.cache.get(h, key); r != nil {
		return found(recValue(r))
	}
	if o.stored != nil && !o.stored.has(h) {
		return nil, false, nil
	}
	o.bufs[0], o.bufs[1] = o.bufs[1], o.bufs[0]
	value, ok, err = o.db.Get(key, o.bufs[0][:0])
	if err != nil {
		return nil, false, err
	}
	if !ok {
		o.cache.put(h, key, nil)
		return nil, false, nil
	}
	o.bufs[0] = value
	o.cache.put(h, key, value)
	return value, true, nil
}

func found(value []byte) ([]byte, bool, error) { return value, value != nil, nil }

// Put sets the value of key; a nil value is an empty one. It copies its
// arguments.
func (o *Overlay) Put(key, value []byte) {
	if value == nil {
		value = []byte{}
	}
	o.writes++
	o.open.put(o.hash(key), key, value)
}

// Delete deletes key, whether it is there or not.
func (o *Overlay) Delete(key []byte) {
	o.writes++
	o.open.put(o.hash(key), key, nil)
}

// Begin starts a batch, which Keep or Undo ends. Without a batch a write is
// kept at once. It panics in a batch: a bug of the caller.
func (o *Overlay) Begin() {
	if o.open.journal.open {
		panic("overlay: Begin in a batch")
	}
	o.open.begin()
}

// Keep ends the batch and keeps its writes.
func (o *Overlay) Keep() {
	o.mustBatch("Keep")
	o.open.keep()
}

// Undo ends the batch and takes all its writes back, and the memory that they
// took.
func (o *Overlay) Undo() {
	o.mustBatch("Undo")
	o.writes++
	o.open.undo(o.hash)
}

func (o *Overlay) mustBatch(call string) {
	if !o.open.journal.open {
		panic("overlay: " + call + " outside of a batch")
	}
}

// Seal ends the open delta and starts the next. The sealed one is read until
// Committed. It panics in a batch, and if a sealed delta is there already: a
// bug of the caller.
func (o *Overlay) Seal() *Delta {
	if o.open.journal.open {
		panic("overlay: Seal in a batch")
	}
	if o.sealed != nil {
		panic("overlay: Seal before Committed")
	}
	o.writes++
	o.sealed, o.open, o.spare = o.open, o.spare, nil
	if o.open == nil {
		o.open = &Delta{}
	}
	return o.sealed
}

// Committed says that the sealed delta is in the store and that nobody reads
// it any more. Its entries go to the cache of clean entries.
func (o *Overlay) Committed() {
	if o.sealed == nil {
		panic("overlay: Committed before Seal")
	}
	o.writes++
	for _, e := range o.sealed.entries {
		r := o.sealed.at(e.ref)
		key := recKey(r)
		h, value := o.hash(key), recValue(r)
		if o.stored != nil && value != nil {
			o.stored.add(h)
		}
		o.cache.put(h, key, value)
	}
	o.sealed.reset()
	o.sealed, o.spare = nil, o.sealed
}

// Bytes returns the memory that the entries of the open delta take: keys and
// values, room that overwritten values left, and about 44 bytes an entry.
func (o *Overlay) Bytes() int { return o.open.Bytes() }
