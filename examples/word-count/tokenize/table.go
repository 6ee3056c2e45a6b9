package main

import "iter"

// table counts words. It is a hash table with open addressing; the letters of
// words longer than eight lie in one arena, so that a batch costs the garbage
// collector nothing.
type table struct {
	slots []slot
	used  []uint32 // the slots in use, in the order of their words' first occurrence
	arena []byte
	shift uint // 64 - log2(len(slots))
	word  [8]byte
}

type slot struct {
	id    uint64 // the letters of a short word, a hash of a long one
	off   uint32 // of a long word in the arena
	n     uint32 // letters; 0 = free
	count uint64
}

// newTable makes a table of size slots, a power of two.
func newTable(size int) *table {
	t := &table{slots: make([]slot, size), used: make([]uint32, 0, size/2), shift: 64}
	for ; size > 1; size /= 2 {
		t.shift--
	}
	return t
}

// reset empties the table and keeps its memory.
func (t *table) reset() {
	for _, i := range t.used {
		t.slots[i] = slot{}
	}
	t.used, t.arena = t.used[:0], t.arena[:0]
}

// count adds one to word, in any case; packed holds its last eight letters in
// lower case.
func (t *table) count(packed uint64, word []byte) {
	n := uint32(len(word))
	if n > 8 {
		packed = hash(word)
	}
	mask := uint64(len(t.slots) - 1)
	for i := packed * spread >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.n == 0 {
			t.insert(uint32(i), packed, word)
			return
		}
		if s.id == packed && s.n == n && (n <= 8 || t.same(s.off, word)) {
			s.count++
			return
		}
	}
}

// spread is 2^64 divided by the golden ratio.
const spread = 0x9e3779b97f4a7c15

func (t *table) insert(i uint32, id uint64, word []byte) {
	s := slot{id: id, off: uint32(len(t.arena)), n: uint32(len(word)), count: 1}
	if s.n > 8 {
		for _, c := range word {
			t.arena = append(t.arena, lower[c])
		}
	}
	t.slots[i] = s
	t.used = append(t.used, i)
	if 2*len(t.used) > len(t.slots) {
		t.double()
	}
}

func (t *table) double() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	t.shift--
	mask := uint64(len(t.slots) - 1)
	for k, i := range t.used {
		j := old[i].id * spread >> t.shift
		for t.slots[j].n != 0 {
			j = (j + 1) & mask
		}
		t.slots[j] = old[i]
		t.used[k] = uint32(j)
	}
}

// same reports whether the arena at off has word.
func (t *table) same(off uint32, word []byte) bool {
	have := t.arena[off:][:len(word)]
	for i, c := range word {
		if have[i] != lower[c] {
			return false
		}
	}
	return true
}

// all yields the words with their counts; a word is good for one turn.
func (t *table) all() iter.Seq2[[]byte, uint64] {
	return func(yield func(word []byte, count uint64) bool) {
		for _, i := range t.used {
			s := &t.slots[i]
			var word []byte
			if s.n > 8 {
				word = t.arena[s.off:][:s.n]
			} else {
				word = t.word[:s.n]
				for k, id := len(word)-1, s.id; k >= 0; k, id = k-1, id>>8 {
					word[k] = byte(id)
				}
			}
			if !yield(word, s.count) {
				return
			}
		}
	}
}

// hash is FNV-1a over the word in lower case.
func hash(word []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range word {
		h = (h ^ uint64(lower[c])) * 0x100000001b3
	}
	return h
}
