package guest

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// random is a guest's source of random bytes: a stream that depends on the
// place of the batch alone, so that a batch that is run again sees it again.
// It is no source of secrets.
type random struct {
	name   string
	a, b   uint64
	seeded bool
	stream *rand.ChaCha8
}

// from begins the stream of a place. The seed is computed at the first read.
func (r *random) from(name string, a, b uint64) {
	r.name, r.a, r.b, r.seeded = name, a, b, false
}

// Read implements io.Reader. It never fails.
func (r *random) Read(p []byte) (int, error) {
	if !r.seeded {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], hash([]byte(r.name)))
		binary.LittleEndian.PutUint64(seed[8:], r.a)
		binary.LittleEndian.PutUint64(seed[16:], r.b)
		if r.stream == nil {
			r.stream = rand.NewChaCha8(seed)
		} else {
			r.stream.Seed(seed)
		}
		r.seeded = true
	}
	return r.stream.Read(p)
}

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}
