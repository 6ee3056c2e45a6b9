package overlay

import (
	"iter"
	"sync"

	"github.com/wasmill/wasmill/state"
)

// Delta is the writes of one epoch: for each key the last value, or that it
// is deleted. Once sealed it does not change until Overlay.Committed, which
// takes its memory for a later epoch; until then any goroutine may read it.
type Delta struct {
	table
	entries []entry // by id, in the order of their first write
	journal journal

	// The sorted view while the delta is open; see view.
	runs  [][]uint32
	inRun int // ids below this are in runs

	// mu guards order: the ids in key order, made once the delta is sealed.
	mu    sync.Mutex
	order []uint32
}

type entry struct {
	ref   uint32
	batch uint32 // the batch in which the journal saved it last
}

// Len returns the number of keys.
func (d *Delta) Len() int { return len(d.entries) }

// Bytes returns the memory that the entries take.
func (d *Delta) Bytes() int { return d.bytes() + len(d.entries)*entryCost }

// entryCost is what an entry takes beside the table, in bytes.
const entryCost = 12

// All yields the keys in order with their values; a nil value says that the
// key is deleted. The first use sorts the keys. Keys and values are views,
// good until Overlay.Committed, and must not be written.
func (d *Delta) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for _, id := range d.sorted() {
			r := d.record(id)
			if !yield(recKey(r), recValue(r)) {
				return
			}
		}
	}
}

// AppendTo writes the delta to a batch in key order.
func (d *Delta) AppendTo(b state.Batch) error {
	for key, value := range d.All() {
		var err error
		if value == nil {
			err = b.Delete(key)
		} else {
			err = b.Set(key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the ids of a sealed delta in key order.
func (d *Delta) sorted() []uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.order) != len(d.entries) {
		if len(d.runs) == 1 && d.inRun == len(d.entries) {
			d.order = d.runs[0]
		} else {
			d.order = appendIDs(d.order[:0], 0, len(d.entries))
			d.sort(d.order)
		}
	}
	return d.order
}

func (d *Delta) record(id uint32) []byte { return d.at(d.entries[id].ref) }
func (d *Delta) key(id uint32) []byte    { return recKey(d.record(id)) }

// put sets the value of a key, or with a nil value says that it is deleted.
func (d *Delta) put(h uint32, key, value []byte) {
	slot, r := d.find(h, key)
	if r == nil {
		ref := d.insert(h, uint32(len(d.entries)), key, value)
		d.entries = append(d.entries, entry{ref: ref})
		return
	}
	id := recID(r)
	if d.journal.open {
		d.save(id, r)
	}
	d.entries[id].ref = d.overwrite(slot, r, value)
}

func (d *Delta) reset() {
	d.table.reset()
	d.entries = d.entries[:0]
	d.runs, d.inRun = d.runs[:0], 0
	d.order = d.order[:0]
	d.journal.batch = 0 // no entry knows an older one
}

func appendIDs(ids []uint32, from, to int) []uint32 {
	for id := from; id < to; id++ {
		ids = append(ids, uint32(id))
	}
	return ids
}
