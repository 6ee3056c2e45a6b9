//go:build unix

package localfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wasmill/wasmill/traversal"
	"github.com/wasmill/wasmill/traversal/localfs"
)

func open(t testing.TB, root string) *localfs.FS {
	t.Helper()
	f, err := localfs.New(root)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFS_EqualsTheStandardWalk(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		path := filepath.Join(dir, strings.Repeat("d/", i%5), fmt.Sprintf("\xff%d\n", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, i), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", filepath.Join(dir, "d", "link")); err != nil {
		t.Fatal(err)
	}
	var want []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		want = append(want, fmt.Sprint(rel, st.Mode().IsDir(), st.Size(), st.ModTime().UnixNano(), st.Mode().Perm()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	all := func(string, string, traversal.Kind) bool { return true }
	err = traversal.Walk(t.Context(), open(t, dir), []traversal.Item{{Dir: traversal.Root}}, traversal.Options{Page: 3, Stat: all},
		func(_ context.Context, p *traversal.Page) error {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range p.Entries {
				got = append(got, fmt.Sprint(traversal.Join(p.Item.Dir, e.Name), e.Kind == traversal.KindDir, e.Size, e.ModTime, fs.FileMode(e.Mode)))
			}
			return p.Err
		})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFS_OpenTakesRegularFilesOnlyAndNeverBlocks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("f", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(dir, "s")}); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	start := time.Now()
	for name, class := range map[string]traversal.Class{
		"fifo": traversal.Changed, "link": traversal.Changed, "s": traversal.Changed, ".": traversal.Changed, "none": traversal.Vanished, "f/x": traversal.Changed,
	} {
		file, _, err := f.Open(name)
		if err == nil {
			file.Close()
			t.Errorf("%s was opened", name)
		} else if got := traversal.ClassOf(err); got != class {
			t.Errorf("%s: class %d, want %d: %v", name, got, class, err)
		}
	}
	if time.Since(start) > time.Minute {
		t.Error("an open blocked")
	}

	file, e, err := f.Open("f")
	if err != nil || e.Size != 7 {
		t.Fatal(e, err)
	}
	b := make([]byte, 9)
	if n, err := file.ReadAt(b, 3); string(b[:n]) != "tent" || !errors.Is(err, io.EOF) {
		t.Errorf("read %q, %v", b[:n], err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err == nil {
		t.Error("a second Close said nothing")
	}
}

func TestFS_ReadDirDoesNotFollowLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if entries, _, err := open(t, dir).ReadDir(t.Context(), "link", "", 10, nil); err == nil || traversal.ClassOf(err) != traversal.Changed {
		t.Errorf("got %d entries, %v", len(entries), err)
	}
}

func TestFS_LeavesNoDescriptors(t *testing.T) {
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc")
		}
		return len(names)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	before := count()
	for range 50 {
		f.ReadDir(t.Context(), "a", "", 10, nil)
		f.ReadDir(t.Context(), "none", "", 10, nil)
		f.Open("a")
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func BenchmarkWalk(b *testing.B) {
	f := open(b, "/usr")
	entries := 0
	var mu sync.Mutex
	b.ReportAllocs()
	for b.Loop() {
		err := traversal.Walk(b.Context(), f, []traversal.Item{{Dir: traversal.Root}}, traversal.Options{}, func(_ context.Context, p *traversal.Page) error {
			mu.Lock()
			defer mu.Unlock()
			entries += len(p.Entries)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(entries)/b.Elapsed().Seconds(), "entries/s")
}
