package overlay_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/overlay"
	"github.com/wasmill/wasmill/state/pebblestore"
)

var (
	hugeFlag = flag.Bool("huge", false, "run the benchmarks with 10 M keys too")
	syncFlag = flag.Bool("sync", false, "sync the commits of the benchmarks")
)

const opsPerEpoch = 100_000

// BenchmarkReadModifyWrite adds 1 to a counter in a value of 24 bytes under a
// key of 20 bytes; every 100,000 operations are an epoch. All keys exist
// before the clock starts. One operation is one read and one write:
//
//	cache    through an overlay whose cache holds all keys
//	nocache  through an overlay without a cache
//	pebble   no overlay: a read of the store and a commit for each operation
func BenchmarkReadModifyWrite(b *testing.B) {
	sizes := []int{100_000, 1_000_000}
	if *hugeFlag {
		sizes = append(sizes, 10_000_000)
	}
	for _, keys := range sizes {
		for _, dist := range []string{"uniform", "zipf"} {
			name := fmt.Sprintf("keys=%d/%s", keys, dist)
			b.Run(name+"/cache", func(b *testing.B) { benchOverlay(b, keys, dist, keys*256) })
			b.Run(name+"/nocache", func(b *testing.B) { benchOverlay(b, keys, dist, 0) })
			b.Run(name+"/pebble", func(b *testing.B) { benchPebble(b, keys, dist) })
		}
	}
}

func benchOverlay(b *testing.B, keys int, dist string, cacheBytes int) {
	s := fill(b, keys)
	o := overlay.New(s, cacheBytes)
	next := chooser(keys, dist)
	var committing chan error
	wait := func() {
		if committing == nil {
			return
		}
		if err := <-committing; err != nil {
			b.Fatal(err)
		}
		o.Committed()
		committing = nil
	}
	epoch := func() {
		wait()
		d := o.Seal()
		committing = make(chan error, 1)
		go func() { committing <- write(s, d) }()
	}
	var key, value []byte
	op := func(n int) {
		key = appendKey(key[:0], n)
		v, ok, err := o.Get(key)
		if err != nil || !ok {
			b.Fatal(ok, err)
		}
		value = increment(value, v)
		o.Put(key, value)
	}
	if cacheBytes > 0 {
		for n := range keys { // warm
			if _, _, err := o.Get(appendKey(key[:0], n)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		op(next())
		if i++; i%opsPerEpoch == 0 {
			epoch()
		}
	}
	wait()
}

func write(s state.Store, d *overlay.Delta) error {
	batch := s.NewBatch()
	defer batch.Close()
	if err := d.AppendTo(batch); err != nil {
		return err
	}
	return batch.Commit(*syncFlag)
}

// benchPebble writes each value at once, as a batch of one without sync.
func benchPebble(b *testing.B, keys int, dist string) {
	s := fill(b, keys)
	next := chooser(keys, dist)
	var key, value, buf []byte
	b.ReportAllocs()
	for b.Loop() {
		key = appendKey(key[:0], next())
		v, ok, err := s.Get(key, buf[:0])
		if err != nil || !ok {
			b.Fatal(ok, err)
		}
		buf = v
		value = increment(value, v)
		batch := s.NewBatch()
		if err := batch.Set(key, value); err != nil {
			b.Fatal(err)
		}
		if err := batch.Commit(false); err != nil {
			b.Fatal(err)
		}
	}
}

func increment(dst, v []byte) []byte {
	dst = append(dst[:0], v...)
	binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(dst)+1)
	return dst
}

// appendKey appends 20 bytes: a prefix as of a store and a scattered number.
func appendKey(dst []byte, n int) []byte {
	dst = append(dst, "s\x00\x00\x01"...)
	const digits = "0123456789abcdef"
	for x, i := uint64(n)*0x9e3779b97f4a7c15, 0; i < 16; i++ {
		dst = append(dst, digits[x>>60])
		x <<= 4
	}
	return dst
}

func chooser(keys int, dist string) func() int {
	rng := rand.New(rand.NewPCG(1, 2))
	if dist == "zipf" {
		z := rand.NewZipf(rng, 1.1, 1, uint64(keys-1))
		return func() int { return int(z.Uint64()) }
	}
	return func() int { return rng.IntN(keys) }
}

func fill(b *testing.B, keys int) state.Store {
	s, err := pebblestore.Open(b.TempDir(), pebblestore.Options{CacheBytes: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	var key []byte
	value := make([]byte, 24)
	for n := 0; n < keys; {
		batch := s.NewBatch()
		for range min(opsPerEpoch, keys-n) {
			key = appendKey(key[:0], n)
			if err := batch.Set(key, value); err != nil {
				b.Fatal(err)
			}
			n++
		}
		if err := batch.Commit(false); err != nil {
			b.Fatal(err)
		}
	}
	return s
}
