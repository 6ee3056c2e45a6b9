//go:build unix

package image_test

import (
	"os"
	"syscall"
	"testing"
)

// allocated returns the bytes that a file takes on disk.
func allocated(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Skip("the system does not say")
	}
	return int64(s.Blocks) * 512
}
