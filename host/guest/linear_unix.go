//go:build unix

package guest

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// reserve returns n zero bytes that take memory only once they are touched.
func reserve(n uint64) ([]byte, error) {
	if n == 0 || n > math.MaxInt {
		return nil, errors.New("guest: not a size to reserve")
	}
	return unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
}

// release gives back what reserve returned.
func release(b []byte) { _ = unix.Munmap(b) } // fails only for what was not reserved
