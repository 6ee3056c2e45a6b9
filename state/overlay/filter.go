package overlay

import "math/bits"

// filter is a set of keys that may say yes to a key that it does not have and
// never says no to one that it has: a Bloom filter in blocks of a cache line
// (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters,
// 2007). Of what it has not, it says yes to one in a hundred while it holds a
// key for each 10 of its bits, to more and more as it fills up.
type filter struct{ blocks [][blockWords]uint64 }

const (
	blockWords = 8
	probes     = 7 // bits of a key in its block
	minBlocks  = 64
)

// newFilter returns an empty filter of about that many bytes.
func newFilter(bytes int) *filter {
	return &filter{make([][blockWords]uint64, max(bytes/(8*blockWords), minBlocks))}
}

func (f *filter) block(h uint32) *[blockWords]uint64 {
	i, _ := bits.Mul32(h, uint32(len(f.blocks)))
	return &f.blocks[i]
}

// spread turns the hash of a key into nine bits for each probe. The bits that
// choose the block are mixed with the others.
func spread(h uint32) uint64 {
	x := uint64(h) * 0x9e3779b97f4a7c15
	return (x ^ x>>32) * 0xd6e8feb86659fd93
}

func (f *filter) add(h uint32) {
	b, x := f.block(h), spread(h)
	for range probes {
		b[x>>6&(blockWords-1)] |= 1 << (x & 63)
		x >>= 9
	}
}

func (f *filter) has(h uint32) bool {
	b, x := f.block(h), spread(h)
	for range probes {
		if b[x>>6&(blockWords-1)]&(1<<(x&63)) == 0 {
			return false
		}
		x >>= 9
	}
	return true
}
