package image_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/image"
)

const (
	page = 4 << 10
	wide = 64 << 10 // a page of a guest
)

// memory returns a memory that has size bytes. It is freed with the test.
func memory(tb testing.TB, o image.Options, size uint64) (*image.Memory, []byte) {
	tb.Helper()
	if o.Limit == 0 {
		o.Limit = 1 << 20
	}
	m, err := image.NewMemory(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(m.Free)
	b := m.Allocate(size, o.Limit).Reallocate(size)
	if uint64(len(b)) != size {
		tb.Fatalf("%d bytes, want %d: %s", len(b), size, m.Refused())
	}
	return m, b
}

// take makes an image, which is closed with the test.
func take(tb testing.TB, memory []byte, s image.State) *image.Image {
	tb.Helper()
	i, err := image.Take(memory, s)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = i.Close() }) // a test may have closed it
	return i
}

// pattern is size bytes, some of whose pages are zero: those with a number
// that three divides.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		if i/page%3 != 0 {
			b[i] = byte(i/page + i)
		}
	}
	return b
}

// saved returns the path of an image of b on disk.
func saved(tb testing.TB, b []byte, s image.State, key string) string {
	tb.Helper()
	path := tb.TempDir() + "/image"
	if err := take(tb, b, s).Save(path, key); err != nil {
		tb.Fatal(err)
	}
	return path
}

// open opens an image, which is closed with the test.
func open(tb testing.TB, path, key string) *image.Image {
	tb.Helper()
	i, err := image.Open(path, key)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = i.Close() }) // a test may have closed it
	return i
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// status returns a line of /proc/self/status, in KiB.
func status(tb testing.TB, name string) (n int) {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Skip("needs /proc")
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			if _, err := fmt.Sscan(rest, &n); err != nil {
				tb.Fatal(err)
			}
			return n
		}
	}
	tb.Fatalf("no %s", name)
	return 0
}

// mappings returns how many this process has.
func mappings(tb testing.TB) int {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		tb.Skip("needs /proc")
	}
	return bytes.Count(text, []byte("\n"))
}
