package marshal

import (
	"bytes"
	"hash/maphash"
)

// keys are those that objects of this batch had. A key is written once and
// referred to from then on: CPython then neither builds nor hashes it anew.
type keys struct {
	seed  maphash.Seed
	slots [2 * maxKeys]int16 // by hash: 1 + number of the key, 0 if free
	count int                // in use; the number of a key is that of its reference
	at    [maxKeys]span      // by number
	slot  [maxKeys]int16     // by number: where it is in slots
}

// maxKeys bounds the keys that are remembered: those beyond are written anew
// each time.
const maxKeys = 256

// span is a place of the output: offsets, since the output moves as it grows.
type span struct{ from, to int }

// find looks for key among those written to dst. If it is not there, it
// returns -1 and the slot where it belongs.
func (k *keys) find(dst, key []byte) (number, slot int) {
	slot = int(maphash.Bytes(k.seed, key) % uint64(len(k.slots)))
	for {
		n := int(k.slots[slot]) - 1
		if n < 0 {
			return -1, slot
		}
		if s := k.at[n]; bytes.Equal(dst[s.from:s.to], key) {
			return n, slot
		}
		slot = (slot + 1) % len(k.slots)
	}
}

// add remembers the key that was written to from:to. It reports false if there
// is no more room.
func (k *keys) add(slot, from, to int) bool {
	if k.count == maxKeys {
		return false
	}
	k.at[k.count], k.slot[k.count] = span{from, to}, int16(slot)
	k.count++
	k.slots[slot] = int16(k.count)
	return true
}

// forget drops all but the first count keys. Those that came last are in the
// way of none before them.
func (k *keys) forget(count int) {
	for k.count > count {
		k.count--
		k.slots[k.slot[k.count]] = 0
	}
}
