package image_test

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"github.com/wasmill/wasmill/host/guest/image"
)

func TestMemory_GrowsInPlaceAndReadsAsZero(t *testing.T) {
	m, b := memory(t, image.Options{}, wide)
	if !isZero(b) || cap(b) != wide {
		t.Fatalf("not zero, or room for %d bytes", cap(b))
	}
	b[0], b[wide-1] = 1, 2
	more := m.Reallocate(3 * wide)
	if &more[0] != &b[0] || more[0] != 1 || more[wide-1] != 2 || !isZero(more[wide:]) {
		t.Fatal("growing moved or changed it")
	}
	if m.Size() != 3*wide || m.Refused() != "" {
		t.Fatalf("size %d, refused %q", m.Size(), m.Refused())
	}
	m.Free()
	if m.Size() != 0 {
		t.Fatalf("size %d behind Free", m.Size())
	}
}

func TestMemory_AnEmptyOneGrows(t *testing.T) {
	m, _ := memory(t, image.Options{}, 0)
	if b := m.Reallocate(wide); len(b) != wide || !isZero(b) {
		t.Fatalf("%d bytes", len(b))
	}
}

func TestMemory_RefusesBeyondItsLimit(t *testing.T) {
	account := image.NewAccount(0)
	m, b := memory(t, image.Options{Limit: 2 * wide, Account: account}, 2*wide)
	if m.Reallocate(3*wide) != nil || m.Refused() != "it may grow to 131072 bytes (limits.memory)" {
		t.Fatalf("refused %q", m.Refused())
	}
	b[2*wide-1] = 1 // what it has stays
	if m.Size() != 2*wide || account.Used() != 2*wide {
		t.Fatalf("size %d, account %d", m.Size(), account.Used())
	}
}

func TestNewMemory_WithoutAddressSpace(t *testing.T) {
	account := image.NewAccount(0)
	for _, limit := range []uint64{1 << 60, 1 << 63, 0} {
		_, err := image.NewMemory(image.Options{Limit: limit, Account: account})
		if err == nil || !strings.Contains(err.Error(), "bytes of address space") || !strings.HasSuffix(err.Error(), "raise ulimit -v, or lower limits.memory") {
			t.Errorf("%d bytes: error %v", limit, err)
		}
	}
	if account.Used() != 0 {
		t.Errorf("%d bytes are charged", account.Used())
	}
}

// A reservation is neither memory nor data of the process, so that limits on
// those hold for what guests use and not for what they might.
func TestNewMemory_ReservesAddressSpaceAlone(t *testing.T) {
	data, resident := status(t, "VmData"), status(t, "VmRSS")
	const limit, many = 4<<30 - wide, 16
	for range many {
		memory(t, image.Options{Limit: limit}, wide)
	}
	if d := status(t, "VmData") - data; d > 64<<10 {
		t.Errorf("data grew by %d KiB", d)
	}
	if r := status(t, "VmRSS") - resident; r > 8<<10 {
		t.Errorf("resident memory grew by %d KiB", r)
	}
}

// No page of an instance is ever seen by another, whoever that belongs to.
func TestMemory_NoPagePassesToAnotherInstance(t *testing.T) {
	const size = 256 << 10
	img := take(t, pattern(size/2), image.State{})
	addresses := map[*byte]bool{}
	again := 0
	for round := range 200 {
		o := image.Options{Limit: size}
		if round%4 == 3 {
			o.Image = img
		}
		m, b := memory(t, o, size)
		want := make([]byte, size)
		if o.Image != nil {
			copy(want, pattern(size/2))
		}
		if !bytes.Equal(b, want) {
			t.Fatalf("round %d: a new memory has contents", round)
		}
		if p := unsafe.SliceData(b); addresses[p] {
			again++
		} else {
			addresses[p] = true
		}
		for i := range b {
			b[i] = 0xa5
		}
		m.Free()
	}
	if again == 0 {
		t.Error("no address was used twice: nothing was tested")
	}
}

func TestMemory_CyclesLeaveNothing(t *testing.T) {
	img := take(t, pattern(4*wide), image.State{})
	account := image.NewAccount(0)
	cycle := func(i int) {
		o := image.Options{Limit: 64 << 20, Account: account}
		if i%2 == 0 {
			o.Image = img
		}
		m, err := image.NewMemory(o)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Reallocate(5 * wide)
		b[0], b[len(b)-1] = 1, 1
		m.Free()
	}
	for i := range 100 {
		cycle(i)
	}
	maps, resident := mappings(t), status(t, "VmRSS")
	for i := range 10_000 {
		cycle(i)
	}
	if n := mappings(t); n > maps+8 { // the Go runtime's own come and go
		t.Errorf("mappings grew from %d to %d", maps, n)
	}
	if n := status(t, "VmRSS"); n > resident+8<<10 {
		t.Errorf("resident memory grew from %d to %d KiB", resident, n)
	}
	if account.Used() != 0 {
		t.Errorf("%d bytes are still charged", account.Used())
	}
}
