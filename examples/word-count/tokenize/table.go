package main

import "iter"

// table counts words. It is a hash table with open addressing, and the
// letters of words longer than eight lie in one arena, so that a batch costs
// the garbage collector nothing.
type table struct {
	slots []slot
	used  []uint32 // the slots in use, in the order of their words' first occurrence
	long  []span   // of the long words
	arena []byte   // their letters in lower case
	shift uint     // 64 - log2(len(slots))
	word  [8]byte
}

// slot is a word and how often it came. A word of up to eight letters is its
// id: the letters in lower case, the first one lowest. That of a longer one is
// a hash with the highest bit set, which no letter sets.
type slot struct {
	id    uint64
	count uint32 // 0 = free; a batch has fewer than 2^32 bytes
	long  uint32 // of a long word: index in table.long
}

// span is a part of the arena.
type span struct{ off, n uint32 }

// isLong marks the id of a long word.
const isLong = 1 << 63

// spread is 2^64 divided by the golden ratio.
const spread = 0x9e3779b97f4a7c15

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
	t.used, t.long, t.arena = t.used[:0], t.long[:0], t.arena[:0]
}

// short adds one to the word of up to eight letters that is id.
func (t *table) short(id uint64) {
	mask := uint64(len(t.slots) - 1)
	for i := id * spread >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == id {
			s.count++
			return
		}
		if s.count == 0 {
			t.insert(i, slot{id: id, count: 1})
			return
		}
	}
}

// longer adds one to word, which has more than eight letters in any case.
func (t *table) longer(word []byte) {
	id := hash(word) | isLong
	mask := uint64(len(t.slots) - 1)
	for i := id * spread >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == id && t.same(t.long[s.long], word) {
			s.count++
			return
		}
		if s.count == 0 {
			t.long = append(t.long, span{uint32(len(t.arena)), uint32(len(word))})
			for _, c := range word {
				t.arena = append(t.arena, c|0x20)
			}
			t.insert(i, slot{id: id, count: 1, long: uint32(len(t.long) - 1)})
			return
		}
	}
}

// insert fills the free slot i, and doubles the table when it is half full.
func (t *table) insert(i uint64, s slot) {
	t.slots[i] = s
	t.used = append(t.used, uint32(i))
	if 2*len(t.used) <= len(t.slots) {
		return
	}
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	t.shift--
	mask := uint64(len(t.slots) - 1)
	for k, i := range t.used {
		j := old[i].id * spread >> t.shift
		for t.slots[j].count != 0 {
			j = (j + 1) & mask
		}
		t.slots[j] = old[i]
		t.used[k] = uint32(j)
	}
}

// same reports whether the arena has word at s.
func (t *table) same(s span, word []byte) bool {
	if int(s.n) != len(word) {
		return false
	}
	have := t.arena[s.off:][:len(word)]
	for i, c := range word {
		if have[i] != c|0x20 {
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
			if s.id&isLong != 0 {
				at := t.long[s.long]
				word = t.arena[at.off:][:at.n]
			} else {
				n := 0
				for id := s.id; id != 0; id >>= 8 {
					t.word[n] = byte(id)
					n++
				}
				word = t.word[:n]
			}
			if !yield(word, uint64(s.count)) {
				return
			}
		}
	}
}

// hash is FNV-1a over the word in lower case.
func hash(word []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range word {
		h = (h ^ uint64(c|0x20)) * 0x100000001b3
	}
	return h
}
