package overlay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// item is an id with eight bytes of its key as a number that sorts alike.
type item struct {
	word uint64
	id   uint32
}

// fewItems is the size below which keys are compared whole.
const fewItems = 24

// sort puts ids in the order of their keys, eight bytes of the keys at a
// time: first by the eight bytes behind what all keys share, then each run of
// equal ones by the next eight.
func (d *Delta) sort(ids []uint32) {
	items := make([]item, len(ids))
	for i, id := range ids {
		items[i].id = id
	}
	d.sortItems(items, 0)
	for i := range items {
		ids[i] = items[i].id
	}
}

// sortItems sorts items whose keys have their first depth bytes in common.
func (d *Delta) sortItems(items []item, depth int) {
	if len(items) < fewItems {
		slices.SortFunc(items, func(a, b item) int { return bytes.Compare(d.key(a.id), d.key(b.id)) })
		return
	}
	depth = d.shared(items, depth)
	for i := range items {
		items[i].word = word(d.key(items[i].id), depth)
	}
	// A key that ends is padded with zeros; it sorts before a key that goes on
	// with zeros.
	length := func(id uint32) int { return min(len(d.key(id)), depth+8) }
	slices.SortFunc(items, func(a, b item) int {
		if a.word != b.word {
			return cmp.Compare(a.word, b.word)
		}
		return cmp.Compare(length(a.id), length(b.id))
	})
	for i := 0; i < len(items); {
		j := i + 1
		for j < len(items) && items[j].word == items[i].word {
			j++
		}
		// Keys that end within the word differ in length and stand in order.
		for i < j && len(d.key(items[i].id)) < depth+8 {
			i++
		}
		if j-i > 1 {
			d.sortItems(items[i:j], depth+8)
		}
		i = j
	}
}

// shared returns how many bytes all keys have in common.
func (d *Delta) shared(items []item, depth int) int {
	first := d.key(items[0].id)
	n := len(first)
	for _, it := range items[1:] {
		key := d.key(it.id)
		n = min(n, len(key))
		for i := depth; i < n; i++ {
			if key[i] != first[i] {
				n = i
			}
		}
	}
	return n
}

// word returns the eight bytes of key at depth, zeros behind its end.
func word(key []byte, depth int) uint64 {
	if len(key) >= depth+8 {
		return binary.BigEndian.Uint64(key[depth:])
	}
	var w [8]byte
	copy(w[:], key[depth:])
	return binary.BigEndian.Uint64(w[:])
}
