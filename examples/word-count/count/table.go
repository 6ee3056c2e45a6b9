package main

import "bytes"

// table sums numbers by key, in the order of the keys' first occurrence. Keys
// are views into the batch.
type table struct {
	keys  [][]byte
	sums  []uint64
	slots []uint32 // index in keys plus one; 0 = free
}

// reset empties the table and gives it room for n keys.
func (t *table) reset(n int) {
	clear(t.keys) // lets go of the last batch
	t.keys, t.sums = t.keys[:0], t.sums[:0]
	size := 64
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) {
		t.slots = make([]uint32, size)
		return
	}
	clear(t.slots)
}

// add adds n to the sum of key.
func (t *table) add(key []byte, n uint64) {
	mask := uint32(len(t.slots) - 1)
	for i := hash(key) & mask; ; i = (i + 1) & mask {
		k := t.slots[i]
		if k == 0 {
			t.keys, t.sums = append(t.keys, key), append(t.sums, n)
			t.slots[i] = uint32(len(t.keys))
			return
		}
		if bytes.Equal(t.keys[k-1], key) {
			t.sums[k-1] += n
			return
		}
	}
}

// hash is FNV-1a, mixed once more because only its low bits are used.
func hash(key []byte) uint32 {
	h := uint32(0x811c9dc5)
	for _, c := range key {
		h = (h ^ uint32(c)) * 0x01000193
	}
	return h ^ h>>15
}
