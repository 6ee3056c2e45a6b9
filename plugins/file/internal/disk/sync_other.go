//go:build !linux

package disk

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

func fdatasync(f *os.File) error { return f.Sync() }

// syncDir makes a directory durable where the system knows such a thing.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
