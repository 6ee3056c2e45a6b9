//go:build !unix

package image

import (
	"errors"
	"math"
	"os"
)

// Without mmap a reservation is an ordinary slice.

func reserve(n uint64) ([]byte, error) {
	if n == 0 || n > math.MaxInt {
		return nil, errors.New("not a size to reserve")
	}
	return make([]byte, n), nil
}

func unlock([]byte) error { return nil }

func release([]byte) {}

func lay(space []byte, f *os.File, offset int64, size uint64) error {
	_, err := f.ReadAt(space[:size], offset)
	return err
}
