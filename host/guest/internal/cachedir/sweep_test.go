package cachedir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/guest/internal/cachedir"
)

func TestTrim(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"c", "a", "d", "b"} { // from old to new
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		most int64
		want string
	}{{400, "[a b c d]"}, {399, "[a b d]"}, {200, "[b d]"}, {99, "[]"}} {
		cachedir.Trim(dir, test.most)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		left := []string{}
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if fmt.Sprint(left) != test.want {
			t.Errorf("at most %d bytes: %v are left, want %s", test.most, left, test.want)
		}
	}
	cachedir.Trim(filepath.Join(dir, "missing"), 0)
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "removed", "file")
	write := func(text string, result error) error {
		return cachedir.Replace(path, func(f *os.File) error {
			_, err := f.WriteString(text)
			return errors.Join(err, result)
		})
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("two, in part", fs.ErrInvalid); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	info, err := os.Stat(path)
	if b, e := os.ReadFile(path); err != nil || e != nil || string(b) != "one" || info.Mode() != 0o600 {
		t.Errorf("%q, %v, %v, %v", b, info.Mode(), err, e)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
