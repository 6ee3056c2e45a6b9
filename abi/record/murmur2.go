package record

// Murmur2 is the 32-bit MurmurHash2 with the seed that Kafka's default
// partitioner uses: a key has the same hash here and there.
func Murmur2(data []byte) uint32 { return murmur2(data) }

// Murmur2String is Murmur2 of a string, without a copy.
func Murmur2String(s string) uint32 { return murmur2(s) }

// PartitionOf returns the partition of n, which is positive, that a key with
// this hash belongs to: (hash & 0x7fffffff) mod n.
func PartitionOf(hash uint32, n int) int { return int(hash&0x7fffffff) % n }

func murmur2[T []byte | string](data T) uint32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
		r    = 24
	)
	h := seed ^ uint32(len(data))
	for len(data) >= 4 {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= m
		k ^= k >> r
		k *= m
		h *= m
		h ^= k
		data = data[4:]
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(data[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return h
}
