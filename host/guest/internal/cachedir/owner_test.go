//go:build unix

package cachedir_test

import (
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

func TestMake_RefusesADirectoryOfAnotherUser(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chown(dir, os.Geteuid()+1, -1); err != nil {
		t.Skipf("giving a directory away: %v", err)
	}
	if _, err := cachedir.Make(dir, "modules"); err == nil || !strings.Contains(err.Error(), dir+" belongs to another user") {
		t.Errorf("error %v", err)
	}
}
