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

// Of more than may be kept, the files go that were not touched for longest, but
// none that may be in use; what is a month old goes anyway.
func TestSweep_KeepsSoMuch(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []struct {
		name string
		size int64 // a hole
		days int   // since it was touched
	}{{"ancient", 1, 31}, {"old", 3 << 29, 10}, {"older/than", 3 << 29, 20}, {"new", 3 << 29, 1}} {
		path := filepath.Join(dir, f.name)
		at := time.Now().AddDate(0, 0, -f.days)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600), os.Truncate(path, f.size), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	left := func() string {
		var names []string
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, d.Name())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(names)
	}
	cachedir.Sweep(dir, "scratch-")
	if got, want := left(), "[new old]"; got != want {
		t.Errorf("%v is left, want %v", got, want)
	}
	if err := os.Truncate(filepath.Join(dir, "new"), 5<<30); err != nil {
		t.Fatal(err)
	}
	cachedir.Sweep(dir, "scratch-")
	if got, want := left(), "[new]"; got != want {
		t.Errorf("behind a long one in use: %v is left, want %v", got, want)
	}
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
