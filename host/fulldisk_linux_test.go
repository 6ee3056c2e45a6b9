package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/plugins/plugintest"
)

// smallDisk mounts a file system of so many bytes and returns where, and a
// function that makes it as large as it is told.
func smallDisk(t *testing.T, size int) (dir string, resize func(int)) {
	t.Helper()
	dir = t.TempDir()
	mount := func(flags uintptr, size int) error {
		return syscall.Mount("wasmill-test", dir, "tmpfs", flags, fmt.Sprintf("size=%d", size))
	}
	if err := mount(0, size); err != nil {
		t.Skipf("a small disk cannot be mounted here (it takes root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, func(size int) {
		if err := mount(syscall.MS_REMOUNT, size); err != nil {
			t.Fatal(err)
		}
	}
}

// checkFull checks the error of a run on a full disk.
func checkFull(t *testing.T, err error, path string) {
	t.Helper()
	if err == nil {
		t.Fatal("the disk was not full")
	}
	for _, want := range []string{path, "no space left on device", "make room and run again"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func TestFullDisk_Output(t *testing.T) {
	plugintest.NoLeak(t)
	disk, resize := smallDisk(t, 1<<20)
	f := newFixture(t)
	f.write("job.yaml", fmt.Sprintf(copyJob, "fail"))
	var want []string
	for i := range 8 {
		var text strings.Builder
		for k := range 10_000 {
			line := fmt.Sprintf("file %d line %d %s", i, k, strings.Repeat("x", 40))
			want = append(want, line)
			text.WriteString(line + "\n")
		}
		f.write(fmt.Sprintf("in/%d", i), text.String())
	}
	slices.Sort(want)
	out := filepath.Join(disk, "out")
	for run := range 2 {
		_, err := runJob(t.Context(), f.options("sinks.out.file.path="+out))
		checkFull(t, err, out)
		if n := len(f.lines("out")); n > 0 {
			t.Errorf("run %d: %d lines", run, n)
		}
	}
	resize(64 << 20)
	res, err := runJob(t.Context(), f.options("sinks.out.file.path="+out))
	if err != nil || !res.Finished {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := os.Symlink(out, f.path("out")); err != nil {
		t.Fatal(err)
	}
	if got := f.lines("out"); !slices.Equal(got, want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
}

func TestFullDisk_State(t *testing.T) {
	plugintest.NoLeak(t)
	words, size := 300_000, 4<<20
	if testing.Short() {
		words, size = 60_000, 1<<20 // under -race Pebble keeps a stack for each read of a table
	}
	disk, resize := smallDisk(t, size)
	dir := t.TempDir()
	var text []byte
	want := map[string]int64{}
	for i := range words {
		word := endWord(nil, i)
		want[string(word)]++
		text = append(append(text, word...), " \n"[i%100/99])
	}
	if err := os.WriteFile(filepath.Join(dir, "words"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(disk, "state")
	options := func() host.Options {
		o := wordCount(dir, filepath.Join(dir, "words"), 2)
		o.Overrides.StateDir = state
		return o
	}
	for range 2 {
		_, err := runJob(t.Context(), options())
		checkFull(t, err, state)
	}
	resize(512 << 20)
	res, err := runJob(t.Context(), options())
	if err != nil || !res.Finished {
		t.Fatalf("%+v, %v", res, err)
	}
	compareWords(t, readWords(t, filepath.Join(dir, "out")), want)
}
