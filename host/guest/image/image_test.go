package image_test

import (
	"bytes"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host/guest/image"
)

var state = image.State{Globals: []uint64{1 << 16, 1<<64 - 1}, Sections: map[string][]byte{"wasi": {0, 1, 255}, "empty": nil}}

// each runs a test with an image as it is taken, and with it from disk.
func each(t *testing.T, b []byte, f func(t *testing.T, img *image.Image)) {
	t.Run("taken", func(t *testing.T) { f(t, take(t, b, state)) })
	t.Run("opened", func(t *testing.T) { f(t, open(t, saved(t, b, state, "k"), "k")) })
}

func TestImage_InstancesDoNotSeeEachOther(t *testing.T) {
	want := pattern(4 * wide)
	each(t, want, func(t *testing.T, img *image.Image) {
		_, one := memory(t, image.Options{Image: img}, img.Size())
		_, two := memory(t, image.Options{Image: img}, img.Size())
		for _, b := range [][]byte{one, two} {
			if !bytes.Equal(b, want) {
				t.Fatal("a memory does not begin as the image")
			}
		}
		for i := range one {
			one[i] ^= 0xff
		}
		if !bytes.Equal(two, want) {
			t.Fatal("what one wrote, the other sees")
		}
		for i := range two {
			two[i] = 7
		}
		for i := range one {
			if one[i] != want[i]^0xff {
				t.Fatal("what the other wrote, the one sees")
			}
		}
		if _, three := memory(t, image.Options{Image: img}, img.Size()); !bytes.Equal(three, want) {
			t.Fatal("the image has changed")
		}
	})
}

func TestImage_BeyondItMemoryIsZero(t *testing.T) {
	each(t, pattern(2*wide), func(t *testing.T, img *image.Image) {
		m, _ := memory(t, image.Options{Image: img}, wide)
		b := m.Reallocate(5 * wide)
		if !bytes.Equal(b[:2*wide], pattern(2*wide)) || !isZero(b[2*wide:]) {
			t.Fatal("a memory that grew is not the image and zeroes")
		}
		b[5*wide-1] = 1
	})
}

func TestImage_KeepsItsState(t *testing.T) {
	each(t, pattern(wide), func(t *testing.T, img *image.Image) {
		if img.Size() != wide || !reflect.DeepEqual(img.State(), state) {
			t.Fatalf("size %d, state %v", img.Size(), img.State())
		}
	})
}

func TestImage_OfNothing(t *testing.T) {
	each(t, nil, func(t *testing.T, img *image.Image) {
		if _, b := memory(t, image.Options{Image: img}, wide); !isZero(b) {
			t.Fatal("it has contents")
		}
	})
}

func TestTake_Copies(t *testing.T) {
	b := pattern(wide)
	img := take(t, b, image.State{})
	clear(b)
	if _, got := memory(t, image.Options{Image: img}, wide); !bytes.Equal(got, pattern(wide)) {
		t.Fatal("the image changed with the memory that it was taken of")
	}
}

func TestNewMemory_AnImageThatDoesNotFit(t *testing.T) {
	_, err := image.NewMemory(image.Options{Limit: wide, Image: take(t, pattern(2*wide), image.State{})})
	if err == nil || !strings.Contains(err.Error(), "an image of 131072 bytes does not fit into a memory of at most 65536: raise limits.memory") {
		t.Fatalf("error %v", err)
	}
}

func TestImage_LivesAsLongAsSomebodyHoldsIt(t *testing.T) {
	each(t, pattern(wide), func(t *testing.T, img *image.Image) {
		shared := img.Share()
		for range 2 { // the second does nothing
			if err := img.Close(); err != nil {
				t.Fatal(err)
			}
		}
		_, b := memory(t, image.Options{Image: shared}, wide)
		if err := shared.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, pattern(wide)) {
			t.Fatal("a memory went with its image")
		}
		if m, err := image.NewMemory(image.Options{Limit: wide, Image: shared}); err == nil {
			m.Free()
			t.Fatal("a closed image makes memories")
		}
	})
}

func TestImage_ManyAtOnce(t *testing.T) {
	want := pattern(4 * wide)
	img := take(t, want, state)
	path := t.TempDir() + "/image"
	if err := img.Save(path, "k"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for range 20 {
				mine := img.Share()
				if worker == 0 {
					if err := mine.Save(path, "k"); err != nil {
						t.Error(err)
					}
				}
				opened, err := image.Open(path, "k")
				if err != nil {
					t.Error(err)
					return
				}
				for _, i := range []*image.Image{mine, opened} {
					m, err := image.NewMemory(image.Options{Limit: 1 << 20, Image: i})
					if err != nil {
						t.Error(err)
						return
					}
					b := m.Reallocate(i.Size())
					if !bytes.Equal(b, want) {
						t.Error("not the image")
					}
					for at := 0; at < len(b); at += page {
						b[at]++
					}
					m.Free()
					if err := i.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}
