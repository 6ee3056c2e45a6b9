package image_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/image"
)

// Pages of zeroes take no memory either, and nobody can write to an image.
func TestTake_LeavesHolesAndSeals(t *testing.T) {
	b := make([]byte, 16<<20)
	b[len(b)-1] = 1
	take(t, b, image.State{})
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc")
	}
	found := false
	for _, fd := range fds {
		path := fmt.Sprintf("/proc/self/fd/%s", fd.Name())
		to, err := os.Readlink(path)
		if err != nil || !strings.HasPrefix(to, "/memfd:wasmill-image") {
			continue
		}
		found = true
		if used := allocated(t, path); used > 1<<20 {
			t.Errorf("%d bytes of memory for one page", used)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte{1}, 0); err == nil {
			t.Error("it can be written to")
		}
		if err := f.Truncate(0); err == nil {
			t.Error("it can be cut short")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Error("no image lies in memory")
	}
}
