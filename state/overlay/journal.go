package overlay

// journal is what takes the writes of one batch back. Keys that the batch
// added are those with an id from first on; of a key that was there before,
// the first write of the batch saves the old value.
type journal struct {
	open  bool
	batch uint32 // number of the batch
	first int    // entries before the batch
	mark  mark   // the arena before the batch
	saved []saved
	bytes []byte // the old values, one behind the other
}

type saved struct {
	id, ref uint32
	vlen    uint32 // as in the record
}

// maxIdleJournal is how much memory a journal keeps between batches.
const maxIdleJournal = 1 << 20

func (d *Delta) begin() {
	j := &d.journal
	j.open = true
	j.batch++
	j.first, j.mark = len(d.entries), d.arena.mark()
}

func (d *Delta) keep() {
	j := &d.journal
	j.open = false
	j.saved, j.bytes = j.saved[:0], j.bytes[:0]
	if cap(j.bytes) > maxIdleJournal {
		j.bytes = nil
	}
}

// save notes a record before its first overwrite in this batch.
func (d *Delta) save(id uint32, r []byte) {
	j, e := &d.journal, &d.entries[id]
	if int(id) >= j.first || e.batch == j.batch {
		return
	}
	e.batch = j.batch
	j.saved = append(j.saved, saved{id: id, ref: e.ref, vlen: recVlen(r)})
	j.bytes = append(j.bytes, recValue(r)...)
}

func (d *Delta) undo(hash func(key []byte) uint32) {
	j := &d.journal
	for id := len(d.entries) - 1; id >= j.first; id-- {
		key := d.key(uint32(id))
		slot, _ := d.find(hash(key), key)
		d.remove(slot)
	}
	d.entries = d.entries[:j.first]
	old := j.bytes
	for _, s := range j.saved {
		r := d.at(s.ref)
		setVlen(r, s.vlen)
		old = old[copy(recValue(r), old):]
		if e := &d.entries[s.id]; e.ref != s.ref {
			key := recKey(r)
			h := hash(key)
			slot, _ := d.find(h, key)
			d.slots[slot] = uint64(h)<<32 | uint64(s.ref)
			e.ref = s.ref
		}
	}
	d.truncate(j.mark)
	d.forget(j.first)
	d.keep()
}
