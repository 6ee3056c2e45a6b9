package image_test

import (
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host/guest/image"
)

func TestAccount_IsSharedByAllMemories(t *testing.T) {
	account := image.NewAccount(4 * wide)
	one, _ := memory(t, image.Options{Account: account}, 3*wide)
	two, _ := memory(t, image.Options{Account: account}, wide)
	if two.Reallocate(2*wide) != nil || two.Refused() != "all instances together may have 262144 bytes, and have 262144" {
		t.Fatalf("refused %q", two.Refused())
	}
	one.Free()
	if account.Used() != wide || account.Peak() != 4*wide {
		t.Fatalf("used %d, peak %d", account.Used(), account.Peak())
	}
	if b := two.Reallocate(4 * wide); len(b) != 4*wide {
		t.Fatalf("refused %q", two.Refused())
	}
	if two.Reallocate(5*wide) != nil || account.Used() != 4*wide {
		t.Fatalf("used %d", account.Used())
	}
}

func TestAccount_PaysForAnImageToo(t *testing.T) {
	img := take(t, pattern(4*wide), image.State{})
	account := image.NewAccount(3 * wide)
	m, err := image.NewMemory(image.Options{Limit: 1 << 20, Account: account, Image: img})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	if m.Reallocate(4*wide) != nil || account.Used() != 0 {
		t.Fatalf("a memory of four pages on an account of three: used %d", account.Used())
	}
}

// In whatever order memories are freed, and how often, nothing stays charged.
func TestAccount_ReturnsToZeroInEveryOrder(t *testing.T) {
	const memories = 4
	var orders func(left, order []int)
	orders = func(left, order []int) {
		for i := range left {
			rest := append(append([]int{}, left[:i]...), left[i+1:]...)
			orders(rest, append(append([]int{}, order...), left[i]))
		}
		if len(left) > 0 {
			return
		}
		account := image.NewAccount(0)
		var ms [memories]*image.Memory
		total := uint64(0)
		for i := range ms {
			ms[i], _ = memory(t, image.Options{Account: account}, uint64(i)*wide)
			if i%2 == 1 {
				ms[i].Reallocate(uint64(i+3) * wide)
			}
			total += ms[i].Size()
		}
		for _, i := range order {
			if account.Used() != total {
				t.Fatalf("order %v: used %d before %d is freed, want %d", order, account.Used(), i, total)
			}
			total -= ms[i].Size()
			ms[i].Free()
			ms[i].Free()
		}
		if account.Used() != 0 {
			t.Fatalf("order %v: %d bytes stay charged", order, account.Used())
		}
	}
	orders([]int{0, 1, 2, 3}, nil)
}

// Memories that lie in an image grow without a system call, so that workers
// meet in the account and nowhere else.
func TestAccount_IsNeverOverdrawn(t *testing.T) {
	const limit, workers, pages = 100 * wide, 4, 64
	account := image.NewAccount(limit)
	img := take(t, make([]byte, pages*wide), image.State{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range 300 {
				m, err := image.NewMemory(image.Options{Limit: pages * wide, Account: account, Image: img})
				if err != nil {
					t.Error(err)
					return
				}
				for size := uint64(wide); size <= pages*wide; size += wide {
					m.Reallocate(size) // or not
				}
				if used := account.Used(); used > limit {
					t.Errorf("%d bytes are used", used)
				}
				m.Free()
			}
		})
	}
	wg.Wait()
	if account.Used() != 0 || account.Peak() > limit || account.Peak() < pages*wide {
		t.Fatalf("used %d, peak %d", account.Used(), account.Peak())
	}
}
