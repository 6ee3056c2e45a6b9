package wasi_test

import (
	"math"
	"syscall"
	"testing"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/wasmill/wasmill/host/guest/wasi"
	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

// reserved is a memory of 4 GiB, of which only what is touched exists.
type reserved struct{ bytes []byte }

func (r *reserved) Allocate(_, _ uint64) experimental.LinearMemory { return r }

func (r *reserved) Reallocate(size uint64) []byte { return r.bytes[:size:size] }

func (r *reserved) Free() {}

// A memory may end at 2^32, where sums of 32 bits are 0 again.
func TestMemory_OfFourGiB(t *testing.T) {
	bytes, err := syscall.Mmap(-1, 0, 1<<32, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip("4 GiB of addresses cannot be reserved:", err)
	}
	defer func() {
		if err := syscall.Munmap(bytes); err != nil {
			t.Error(err)
		}
	}()
	m := wasmtest.New()
	m.Memory(1 << 16)
	random := m.Import(wasi.Module, "random_get", "ii", "i")
	write := m.Import(wasi.Module, "fd_write", "iiii", "i")
	poll := m.Import(wasi.Module, "poll_oneoff", "iiii", "i")
	m.ExportFunc("random", "ii", "i", "", wasmtest.Get(0), wasmtest.Get(1), wasmtest.Call(random))
	m.ExportFunc("write", "iiii", "i", "", wasmtest.Get(0), wasmtest.Get(1), wasmtest.Get(2), wasmtest.Get(3), wasmtest.Call(write))
	m.ExportFunc("poll", "iiii", "i", "", wasmtest.Get(0), wasmtest.Get(1), wasmtest.Get(2), wasmtest.Get(3), wasmtest.Call(poll))
	ctx := withState(t.Context(), newGuest(t, wasi.Config{Random: zeros{}}).s)
	mod, err := runtime(t, linkOurs).Instantiate(experimental.WithMemoryAllocator(ctx, &reserved{bytes}), m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	const last = math.MaxUint32
	le.PutUint32(bytes[100:], last-9)
	le.PutUint32(bytes[104:], 10)
	for _, test := range []struct {
		name string
		args []uint64
		want wasi.Errno
	}{
		{"random", []uint64{last - 15, 15}, wasi.OK},
		{"random", []uint64{last - 15, 16}, wasi.EFAULT},
		{"random", []uint64{last, 1}, wasi.EFAULT},
		{"random", []uint64{last - 15, 1000}, wasi.EFAULT},
		{"write", []uint64{1, 100, 1, last - 3}, wasi.EFAULT},
		{"write", []uint64{1, 100, 1, 200}, wasi.EFAULT},
		{"write", []uint64{1, last - 7, 1, 200}, wasi.EFAULT},
		{"poll", []uint64{last - 47, 0, 1, 200}, wasi.EFAULT},
		{"poll", []uint64{0, last - 31, 1, 200}, wasi.EFAULT},
	} {
		got, err := mod.ExportedFunction(test.name).Call(ctx, test.args...)
		if err != nil || wasi.Errno(got[0]) != test.want {
			t.Errorf("%s%d: %v, %v, want %d", test.name, test.args, got, err, test.want)
		}
	}
}
