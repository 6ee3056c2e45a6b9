package cachedir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

func TestMake(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	want, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	want = filepath.Join(want, "wasmill", "modules")

	dir, err := cachedir.Make("", "modules")
	if err != nil || dir != want {
		t.Fatalf("made %q, %v, want %q", dir, err, want)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v, want mode 0700", info, err)
	}
	if again, err := cachedir.Make(dir, "modules"); err != nil || again != dir {
		t.Errorf("a directory that is there: %q, %v", again, err)
	}
}

func TestMake_RefusesWhatCannotBeTrusted(t *testing.T) {
	shared, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, want string }{
		{shared, "others may write to " + shared},
		{filepath.Join(file, "below"), "making the cache directory for builds"},
	} {
		if _, err := cachedir.Make(c.dir, "builds"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.dir, err, c.want)
		}
	}
}
