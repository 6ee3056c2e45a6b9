//go:build unix

package walk_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file/internal/walk"
	"github.com/wasmill/wasmill/plugins/plugintest"
	"github.com/wasmill/wasmill/traversal"
	"github.com/wasmill/wasmill/traversal/fakefs"
)

// run reads everything and returns the values in order and the faults as
// "kind path", discovery's first.
func run(t *testing.T, src plugins.Source, between func()) (values, faults []string) {
	t.Helper()
	rows := plugintest.NewRows()
	if _, err := plugintest.Discover(t.Context(), src, rows, -1); err != nil {
		t.Fatal(err)
	}
	for _, f := range rows.Faults {
		faults = append(faults, fmt.Sprintf("%s %s", f.Kind, f.Path))
	}
	if between != nil {
		between()
	}
	var ids []string
	for id := range rows.Splits {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		res, err := plugintest.ReadSplit(t.Context(), src, rows.Splits[id], rows.Splits[id].Start, plugintest.DefaultLimit)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, res.Values...)
		if res.Fault != nil {
			faults = append(faults, fmt.Sprintf("%s %s", res.Fault.Kind, res.Fault.Path))
		}
	}
	return values, faults
}

// Each row changes the tree between the listing and the reading, or makes a
// part of it unreadable; the neighbours' records come whatever happens.
func TestSource_OutcomesOfAChangingTree(t *testing.T) {
	denied := func(op fakefs.Op, path string) func(fakefs.Op, string) error {
		return func(o fakefs.Op, p string) error {
			if o == op && p == path {
				return syscall.EACCES
			}
			return nil
		}
	}
	for _, c := range []struct {
		name    string
		hook    func(fakefs.Op, string) error
		between func(*fakefs.FS)
		values  string // besides the neighbours' "n1 n2"
		faults  string
	}{
		{"nothing", nil, nil, "x y", ""},
		{"a file that is unreadable", denied(fakefs.Open, "d/f"), nil, "", "unreadable d/f"},
		{"a file whose content is unreadable", denied(fakefs.Read, "d/f"), nil, "", "unreadable d/f"},
		{"a file whose size is not told", denied(fakefs.Stat, "d/f"), nil, "", "unreadable d/f"},
		{"a directory that is unreadable", denied(fakefs.ReadDir, "d"), nil, "", "unreadable d"},
		{"vanished", nil, func(f *fakefs.FS) { f.Remove("d/f") }, "", "vanished d/f"},
		{"renamed: vanished, and no second time", nil, func(f *fakefs.FS) { f.Remove("d/f"); f.File("d/g", "x\ny\n") }, "", "vanished d/f"},
		{"appended to", nil, func(f *fakefs.FS) { f.Rewrite("d/f", "x\ny\nz\n") }, "x y", "changed d/f"},
		{"shrunk", nil, func(f *fakefs.FS) { f.Rewrite("d/f", "x\n") }, "x", "changed d/f"},
		{"replaced by as many bytes", nil, func(f *fakefs.FS) { f.Rewrite("d/f", "a\nb\n") }, "a b", "changed d/f"},
		{"replaced by a FIFO", nil, func(f *fakefs.FS) { f.Special("d/f", traversal.KindOther) }, "", "changed d/f"},
		{"replaced by a symbolic link", nil, func(f *fakefs.FS) { f.Special("d/f", traversal.KindSymlink) }, "", "changed d/f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fakefs.New()
			f.File("a", "n1\n")
			f.File("d/f", "x\ny\n")
			f.File("z", "n2\n")
			f.Hook = c.hook
			src := walk.NewOn(f, plugins.Env{}, walk.Options{Root: "/x", Auto: true})
			values, faults := run(t, src, func() {
				if c.between != nil {
					c.between(f)
				}
			})
			want := strings.Fields("n1 " + c.values + " n2")
			if !slices.Equal(values, want) || strings.Join(faults, "; ") != c.faults {
				t.Errorf("got %q and faults %q, want %q and %q", values, faults, want, c.faults)
			}
			if n := f.Unclosed(); n > 0 {
				t.Errorf("%d files were left open", n)
			}
		})
	}
}

func TestSource_DirectoryThatVanishesAfterItWasQueued(t *testing.T) {
	f := fakefs.New()
	f.File("a", "n1\n")
	f.File("d/f", "x\n")
	f.Hook = func(op fakefs.Op, path string) error {
		if op == fakefs.ReadDir && path == "d" {
			f.Remove("d")
		}
		return nil
	}
	values, faults := run(t, walk.NewOn(f, plugins.Env{}, walk.Options{}), nil)
	if fmt.Sprint(values, faults) != "[n1] [vanished d]" {
		t.Errorf("got %q %q", values, faults)
	}
}

func TestSource_OutOfDescriptorsEndsTheRun(t *testing.T) {
	f := fakefs.New()
	f.File("a", "n1\n")
	f.Hook = func(op fakefs.Op, _ string) error {
		if op == fakefs.ReadDir {
			return syscall.EMFILE
		}
		return nil
	}
	_, err := plugintest.Discover(t.Context(), walk.NewOn(f, plugins.Env{}, walk.Options{}), plugintest.NewRows(), -1)
	var pe *plugins.Error
	if !errors.As(err, &pe) || pe.Class != plugins.Exhausted || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("got %v", err)
	}
}

func TestSource_OnTheRealDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "1\n")
	write(".hidden/b", "2")
	write("empty", "")
	write("sub/\xff\xfe\nname", "3\n")
	write("out/part-00000.txt", "own output\n")
	write("skip/me/c", "no\n")
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", filepath.Join(dir, "linkdir")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "root")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{dir, link} {
		var last plugins.Progress
		env := plugins.Env{Name: "docs", Avoid: []string{filepath.Join(dir, "out"), "/elsewhere"}, Progress: func(p plugins.Progress) { last = p }}
		src := walk.New(env, walk.Options{Root: root, Exclude: []string{"skip"}, Auto: true})
		values, faults := run(t, src, nil)
		if fmt.Sprint(values, faults) != "[2 1 3] []" {
			t.Errorf("got %q, faults %q", values, faults)
		}
		if want := (plugins.Progress{Files: 4, Dirs: 3, Bytes: 5, Skipped: 3, Done: true}); last != want {
			t.Errorf("progress %+v, want %+v", last, want)
		}
	}

	values, faults := run(t, walk.New(plugins.Env{}, walk.Options{Root: filepath.Join(dir, "a.txt"), Include: []string{"*.go"}}), nil)
	if fmt.Sprint(values, faults) != "[1] []" {
		t.Errorf("a root that is a file: got %q, faults %q", values, faults)
	}

	start := time.Now()
	values, faults = run(t, walk.New(plugins.Env{}, walk.Options{Root: dir, Include: []string{"a.txt"}}), func() {
		os.Remove(filepath.Join(dir, "a.txt"))
		if err := syscall.Mkfifo(filepath.Join(dir, "a.txt"), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	if fmt.Sprint(values, faults) != "[] [changed a.txt]" || time.Since(start) > time.Minute {
		t.Errorf("a file swapped for a FIFO: got %q, faults %q", values, faults)
	}
}

func TestSource_BadRoots(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		root, avoid, want string
	}{
		{filepath.Join(dir, "none"), "", "no such file or directory; check root: a relative one begins at the job file"},
		{"/dev/null", "", "neither a directory nor a regular file"},
		{dir, dir, "lies in"},
		{dir, filepath.Dir(dir), "lies in"},
	} {
		src := walk.New(plugins.Env{Name: "docs", Avoid: slices.DeleteFunc([]string{c.avoid}, func(s string) bool { return s == "" })}, walk.Options{Root: c.root})
		_, err := src.Enumerate(t.Context(), false, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.root) || strings.Contains(err.Error(), "docs") {
			// The host says which source it is.
			t.Errorf("%s: %v", c.root, err)
		}
	}
}

func TestSource_Globs(t *testing.T) {
	for _, c := range []struct{ include, exclude, want string }{
		{"", "", "a.go b/c.go b/c.txt b/d/e.go z.txt"},
		{"**/*.go", "", "a.go b/c.go b/d/e.go"},
		{"*.go", "", "a.go"},
		{"b/**", "", "b/c.go b/c.txt b/d/e.go"},
		{"b/*/e.go z.txt", "", "b/d/e.go z.txt"},
		{"", "**/d/**", "a.go b/c.go b/c.txt z.txt"},
		{"", "b", "a.go z.txt"},
		{"{a,z}.*", "*.txt", "a.go"},
	} {
		f := fakefs.New()
		for _, p := range strings.Fields("a.go b/c.go b/c.txt b/d/e.go z.txt") {
			f.File(p, p)
		}
		src := walk.NewOn(f, plugins.Env{}, walk.Options{Include: strings.Fields(c.include), Exclude: strings.Fields(c.exclude)})
		if values, _ := run(t, src, nil); strings.Join(values, " ") != c.want {
			t.Errorf("include %q, exclude %q: got %q, want %q", c.include, c.exclude, values, c.want)
		}
	}
	for _, bad := range []string{"", "/abs", "./x", "[a", "{a", `x\`} {
		if walk.CheckGlobs([]string{"ok", bad}) == nil {
			t.Errorf("glob %q was accepted", bad)
		}
	}
}

func TestSource_Entries(t *testing.T) {
	f := tree()
	src := walk.NewOn(f, plugins.Env{}, walk.Options{Records: walk.Entries, Page: 3})
	values, faults := run(t, src, nil)
	if len(faults) > 0 || f.Opened() > 0 {
		t.Errorf("faults %q, %d files opened", faults, f.Opened())
	}
	kinds := map[string]int{}
	for _, v := range values {
		var e struct {
			Path, Kind, Mode string
			Base64           string `json:"path_b64"`
			Size, MTime      *int64
		}
		if err := json.Unmarshal([]byte(v), &e); err != nil || e.Size == nil || e.MTime == nil || e.Mode == "" {
			t.Fatalf("%s: %v", v, err)
		}
		kinds[e.Kind]++
		if raw, _ := base64.StdEncoding.DecodeString(e.Base64); strings.Contains(e.Path, "\ufffd") != (len(raw) > 0) {
			t.Errorf("%s: path_b64 goes with a path that is not UTF-8 and no other", v)
		}
	}
	if fmt.Sprint(kinds) != "map[dir:4 file:12 other:1 symlink:1]" {
		t.Errorf("kinds: %v", kinds)
	}
	plugintest.RunSource(t, kit(walk.Options{Records: walk.Entries, Page: 2}, f, values...))

	// What a split holds stays as it was listed.
	again, _ := run(t, src, func() { f.Remove("d"); f.Remove("a.txt"); f.Remove("wide") })
	if !slices.Equal(again, values) {
		t.Errorf("after the tree has gone: %q", again)
	}
}

func TestSource_GiantDirectoryByPages(t *testing.T) {
	f := fakefs.New()
	const count = 200_000
	f.Giant("g", count, func(i int) string { return fmt.Sprintf("%07d", i) })
	src := walk.NewOn(f, plugins.Env{}, walk.Options{Records: walk.Entries, Page: 1 << 16})
	rows := plugintest.NewRows()
	steps := 0
	for { // one discovery a run
		n, err := plugintest.Discover(t.Context(), src, rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		steps++
	}
	var spec int64
	for _, s := range rows.Splits {
		spec = max(spec, int64(len(s.Spec)))
	}
	if steps != 2+(count+1<<16-1)/(1<<16) || spec > 64<<10 || len(rows.Twice) > 0 {
		t.Errorf("%d steps, longest split %d bytes, %d twice", steps, spec, len(rows.Twice))
	}
	values := 0
	for _, s := range rows.Splits {
		res, err := plugintest.ReadSplit(t.Context(), src, s, s.Start, plugintest.DefaultLimit)
		if err != nil {
			t.Fatal(err)
		}
		values += len(res.Values)
	}
	if values != count+1 {
		t.Errorf("%d entries of %d", values, count+1)
	}
}

// A consumer that takes nothing holds the walk back.
func TestSource_BackPressure(t *testing.T) {
	plugintest.NoLeak(t)
	f := fakefs.New()
	for i := range 500 {
		f.File(fmt.Sprintf("%03d/f", i), "x\n")
	}
	listed := make(chan string, 1000)
	f.Hook = func(op fakefs.Op, path string) error {
		if op == fakefs.ReadDir {
			listed <- path
		}
		return nil
	}
	e, err := walk.NewOn(f, plugins.Env{}, walk.Options{Workers: 2}).Enumerate(t.Context(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for range 400 {
		if _, err := e.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen++
		if ahead := len(listed) - seen; ahead > 20 {
			t.Fatalf("the walk is %d directories ahead", ahead)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next under a context that has ended: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.Next(t.Context()); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("after Close: %v", err)
	}
}

// 17 nested names of 255 bytes are more than a path may have: what lies so
// deep is reported, and nothing else suffers.
func TestSource_PathThatIsTooLong(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 17 {
		name := strings.Repeat("n", 255)
		if err := at.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = next
	}
	at.Close()
	values, faults := run(t, walk.New(plugins.Env{}, walk.Options{Root: dir}), nil)
	if fmt.Sprint(values) != "[1]" || len(faults) != 1 || !strings.HasPrefix(faults[0], "unreadable nnn") {
		t.Errorf("got %q and %d faults", values, len(faults))
	}
}
