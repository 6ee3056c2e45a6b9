package overlay

import "encoding/binary"

// table is a hash table from keys to values, without pointers. A slot is
// a hash and the ref of a record; an empty slot is 0. Slots are probed one
// after the other, at most three of four are taken.
//
//	slot    ref (32 bits) | hash (32 bits) << 32
//	record  u32 id | u32 key length | u32 value length | u32 room for a value | key | value
//
// The low bits of the hash are the slot where probing begins, so that a table
// grows without a look at its records. Slot and record are two cache misses,
// the price of a read of a large table.
type table struct {
	arena
	slots []uint64
	n     int // records
}

const (
	header   = 16
	slotCost = 16 // bytes of slots for a record, in the mean
	minSlots = 64

	gone    = 1<<32 - 1 // as a value length: the key is deleted or absent
	invalid = 1<<32 - 2 // as a value length: nothing is known (cache only)
)

func recID(r []byte) uint32   { return binary.LittleEndian.Uint32(r) }
func recKlen(r []byte) uint32 { return binary.LittleEndian.Uint32(r[4:]) }
func recVlen(r []byte) uint32 { return binary.LittleEndian.Uint32(r[8:]) }
func recRoom(r []byte) uint32 { return binary.LittleEndian.Uint32(r[12:]) }

func setVlen(r []byte, n uint32) { binary.LittleEndian.PutUint32(r[8:], n) }

func recKey(r []byte) []byte {
	k := header + recKlen(r)
	return r[header:k:k]
}

// recValue returns a record's value, nil if the key is gone.
func recValue(r []byte) []byte {
	n := recVlen(r)
	if n == gone {
		return nil
	}
	v := header + recKlen(r)
	return r[v : v+n : v+n]
}

// recSize is the memory that a record takes.
func recSize(key, value []byte) int { return header + len(key) + len(value) }

// bytes returns the memory that the records and their slots take.
func (t *table) bytes() int { return t.used + t.n*slotCost }

// find returns the slot and the record of key; r is nil if there is none.
func (t *table) find(h uint32, key []byte) (slot int, r []byte) {
	if t.n == 0 {
		return 0, nil
	}
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return 0, nil
		}
		if uint32(s>>32) != h {
			continue
		}
		r := t.at(uint32(s))
		if string(recKey(r)) == string(key) {
			return int(i), r
		}
	}
}

// insert adds a record for a key that has none. A nil value is gone.
func (t *table) insert(h, id uint32, key, value []byte) (ref uint32) {
	if (t.n+1)*4 > len(t.slots)*3 {
		t.resize(max(minSlots, 2*len(t.slots)))
	}
	ref = t.write(id, key, value, len(value))
	t.place(h, ref)
	t.n++
	return ref
}

// overwrite gives a record another value, in place if there is room. A record
// that has to move leaves its old memory behind, untouched; room grows by
// half at least, so that what is left behind stays in proportion.
func (t *table) overwrite(slot int, r, value []byte) (ref uint32) {
	s := t.slots[slot]
	if value == nil {
		setVlen(r, gone)
		return uint32(s)
	}
	room := int(recRoom(r))
	if len(value) <= room {
		copy(r[header+recKlen(r):], value)
		setVlen(r, uint32(len(value)))
		return uint32(s)
	}
	ref = t.write(recID(r), recKey(r), value, max(len(value), room+room/2))
	t.slots[slot] = s>>32<<32 | uint64(ref)
	return ref
}

// write makes a record with room for a value of that length.
func (t *table) write(id uint32, key, value []byte, room int) (ref uint32) {
	ref = t.alloc(header + len(key) + room)
	// What rounding up to a unit adds is room too.
	room += -(len(key) + room) & (unit - 1)
	r := t.at(ref)
	binary.LittleEndian.PutUint32(r, id)
	binary.LittleEndian.PutUint32(r[4:], uint32(len(key)))
	binary.LittleEndian.PutUint32(r[8:], uint32(len(value)))
	binary.LittleEndian.PutUint32(r[12:], uint32(room))
	if value == nil {
		setVlen(r, gone)
	}
	copy(r[header:], key)
	copy(r[header+len(key):], value)
	return ref
}

func (t *table) place(h, ref uint32) {
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = uint64(h)<<32 | uint64(ref)
}

func (t *table) resize(n int) {
	old := t.slots
	t.slots = make([]uint64, n)
	for _, s := range old {
		if s != 0 {
			t.place(uint32(s>>32), uint32(s))
		}
	}
}

// remove empties a slot and moves up what was placed behind it because of it.
func (t *table) remove(slot int) {
	mask := len(t.slots) - 1
	hole := slot
	for i := (slot + 1) & mask; t.slots[i] != 0; i = (i + 1) & mask {
		home := int(t.slots[i]>>32) & mask
		if (i-home)&mask >= (i-hole)&mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = 0
	t.n--
}

// reset empties the table and keeps memory for as many records again.
func (t *table) reset() {
	if len(t.slots) > minSlots && t.n < len(t.slots)/16 {
		t.slots = make([]uint64, len(t.slots)/4)
	} else {
		clear(t.slots)
	}
	t.n = 0
	t.arena.reset()
}
