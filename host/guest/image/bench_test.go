package image_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wasmill/wasmill/host/guest/image"
)

// full is size bytes without a page of zeroes.
func full(size int) []byte {
	b := make([]byte, size)
	r := rand.NewPCG(1, 2)
	for i := range b {
		b[i] = byte(r.Uint64())
	}
	return b
}

// BenchmarkMemory measures the life of a memory of which the guest writes to
// a page in 64 KiB: from an image, and copied into a fresh one instead.
func BenchmarkMemory(b *testing.B) {
	for _, size := range []int{1 << 20, 16 << 20} {
		contents := full(size)
		img := take(b, contents, image.State{})
		life := func(b *testing.B, o image.Options) {
			o.Limit = 64 << 20
			b.ReportAllocs()
			for b.Loop() {
				m, err := image.NewMemory(o)
				if err != nil {
					b.Fatal(err)
				}
				v := m.Reallocate(uint64(size))
				if o.Image == nil {
					copy(v, contents)
				}
				for at := 0; at < len(v); at += wide {
					v[at]++
				}
				m.Free()
			}
		}
		b.Run(fmt.Sprintf("size=%dMiB/from=copy", size>>20), func(b *testing.B) { life(b, image.Options{}) })
		b.Run(fmt.Sprintf("size=%dMiB/from=image", size>>20), func(b *testing.B) { life(b, image.Options{Image: img}) })
	}
}

// BenchmarkOpen measures verification, which is nearly all of it.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []int{1 << 20, 16 << 20} {
		path := saved(b, full(size), image.State{}, "k")
		b.Run(fmt.Sprintf("size=%dMiB", size>>20), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := open(b, path, "k").Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTake measures what an image costs when it is made.
func BenchmarkTake(b *testing.B) {
	for _, size := range []int{1 << 20, 16 << 20} {
		contents := full(size)
		b.Run(fmt.Sprintf("size=%dMiB", size>>20), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				img, err := image.Take(contents, image.State{})
				if err != nil {
					b.Fatal(err)
				}
				if err := img.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
