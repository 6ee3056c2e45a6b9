//go:build unix

package image

import (
	"errors"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve returns n bytes of address space that cannot be accessed: they take
// no memory and do not count as data of the process.
func reserve(n uint64) ([]byte, error) {
	if n == 0 || n > math.MaxInt {
		return nil, errors.New("not a size to reserve")
	}
	return unix.Mmap(-1, 0, int(n), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
}

// unlock makes a part of a reservation accessible; it reads as zeroes.
func unlock(b []byte) error { return unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE) }

// release gives a reservation back.
func release(b []byte) { _ = unix.Munmap(b) } // fails only for what was not reserved

// lay maps size bytes of f at offset over the beginning of a reservation.
// They can be written to, which changes them here alone.
func lay(space []byte, f *os.File, offset int64, size uint64) error {
	_, err := unix.MmapPtr(int(f.Fd()), offset, unsafe.Pointer(unsafe.SliceData(space)), uintptr(size),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err
}
