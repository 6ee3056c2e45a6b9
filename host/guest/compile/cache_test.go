package compile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/guest/passthrough"
)

// files returns the paths of all files and empty-named leftovers below dir.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (!d.IsDir() || strings.HasPrefix(d.Name(), "compiling-")) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// kept returns the paths of the only entry and the only record below dir.
func kept(t *testing.T, dir string) (entry, record string) {
	t.Helper()
	for _, name := range files(t, dir) {
		switch p := &entry; {
		case strings.HasSuffix(name, ".record"):
			p = &record
			fallthrough
		default:
			if *p != "" {
				t.Fatalf("more than one entry: %q", files(t, dir))
			}
			*p = name
		}
	}
	if entry == "" || record == "" {
		t.Fatalf("no entry or no record: %q", files(t, dir))
	}
	return entry, record
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// ensure expects that wasm can be compiled.
func ensure(t *testing.T, c *compile.Cache, wasm []byte) {
	t.Helper()
	if err := c.Ensure(t.Context(), wasm); err != nil {
		t.Fatal(err)
	}
}

func TestEnsure_WazeroFindsTheEntry(t *testing.T) {
	for _, config := range []compile.Config{{}, {DebugInfo: true}} {
		dir := filepath.Join(t.TempDir(), "cache")
		c := open(t, compile.Options{Dir: dir, Config: config})
		ensure(t, c, passthrough.Wasm)
		entry, record := kept(t, dir)
		if stat(t, entry).Mode() != 0o600 || stat(t, record).Mode() != 0o600 || stat(t, dir).Mode().Perm() != 0o700 {
			t.Error("others may read the cache")
		}
		before := stat(t, entry)

		// A compilation would make an entry anew. That it is read shows when
		// it cannot be.
		load := func() error {
			cache, err := wazero.NewCompilationCacheWithDir(filepath.Dir(filepath.Dir(entry)))
			if err != nil {
				return err
			}
			rt := wazero.NewRuntimeWithConfig(t.Context(), c.Runtime().WithCompilationCache(cache))
			_, err = rt.CompileModule(t.Context(), passthrough.Wasm)
			return errors.Join(err, rt.Close(t.Context()), cache.Close(t.Context()))
		}
		if err := load(); err != nil {
			t.Fatal(err)
		}
		if after := stat(t, entry); !os.SameFile(before, after) {
			t.Error("wazero has compiled the module again")
		}
		if err := os.WriteFile(entry, []byte("garbage that is no entry"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := load(); err == nil {
			t.Error("wazero does not look at the entry")
		}
	}
}

func TestEnsure_ReplacesWhatIsNotWhatItWas(t *testing.T) {
	foreign := t.TempDir()
	ensure(t, open(t, compile.Options{Dir: foreign}), nested(3))
	other, otherRecord := kept(t, foreign)

	for _, test := range []struct {
		name   string
		damage func(entry, record string) error
	}{
		{"one bit", func(entry, _ string) error {
			b := bytes.Clone(read(t, entry))
			b[len(b)/2] ^= 1
			return os.WriteFile(entry, b, 0o600)
		}},
		{"cut short", func(entry, _ string) error { return os.Truncate(entry, 100) }},
		{"entry of another module", func(entry, _ string) error { return os.WriteFile(entry, read(t, other), 0o600) }},
		{"no entry", func(entry, _ string) error { return os.Remove(entry) }},
		{"no record", func(_, record string) error { return os.Remove(record) }},
		{"damaged record", func(_, record string) error { return os.WriteFile(record, []byte("{"), 0o600) }},
		{"record of another module", func(_, record string) error { return os.WriteFile(record, read(t, otherRecord), 0o600) }},
		{"record that leads elsewhere", func(_, record string) error {
			b := bytes.Replace(read(t, record), []byte(`"name":"`), []byte(`"name":"../`), 1)
			return os.WriteFile(record, b, 0o600)
		}},
		{"record of another format", func(_, record string) error {
			b := bytes.Replace(read(t, record), []byte(`"format":"1"`), []byte(`"format":"2"`), 1)
			return os.WriteFile(record, b, 0o600)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			c := open(t, compile.Options{Dir: dir})
			ensure(t, c, passthrough.Wasm)
			entry, record := kept(t, dir)
			good, goodRecord := read(t, entry), read(t, record)
			if err := test.damage(entry, record); err != nil {
				t.Fatal(err)
			}
			ensure(t, c, passthrough.Wasm)
			if !bytes.Equal(read(t, entry), good) || !bytes.Equal(read(t, record), goodRecord) {
				t.Error("the entry was not made again")
			}
			kept(t, dir)
		})
	}
}

func TestEnsure_AGoodEntryIsNotMadeAgain(t *testing.T) {
	dir := t.TempDir()
	ensure(t, open(t, compile.Options{Dir: dir}), passthrough.Wasm)
	entry, _ := kept(t, dir)
	before := stat(t, entry)
	ensure(t, open(t, compile.Options{Dir: dir, Command: []string{"false"}}), passthrough.Wasm)
	if !os.SameFile(before, stat(t, entry)) {
		t.Error("it was made again")
	}
}

func TestEnsure_ADamagedEntryOfWhichNoneCanBeMadeIsRemoved(t *testing.T) {
	dir := t.TempDir()
	ensure(t, open(t, compile.Options{Dir: dir}), passthrough.Wasm)
	entry, _ := kept(t, dir)
	if err := os.Truncate(entry, 10); err != nil {
		t.Fatal(err)
	}
	if err := open(t, compile.Options{Dir: dir, Command: []string{"false"}}).Ensure(t.Context(), passthrough.Wasm); err == nil {
		t.Fatal("no error")
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Another process may have made the entry, and verified it, before this one
// fails.
func TestEnsure_AFailureLeavesWhatOthersHaveMade(t *testing.T) {
	theirs, dir := t.TempDir(), t.TempDir()
	ensure(t, open(t, compile.Options{Dir: theirs}), passthrough.Wasm)
	meanwhile := []string{"sh", "-c", fmt.Sprintf("cp -r %s/. %s && exit 1", theirs, dir)}
	if err := open(t, compile.Options{Dir: dir, Command: meanwhile}).Ensure(t.Context(), passthrough.Wasm); err == nil {
		t.Fatal("no error")
	}
	kept(t, dir)
}

func TestEnsure_MakesACacheAgainThatWasRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := open(t, compile.Options{Dir: dir})
	ensure(t, c, passthrough.Wasm)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ensure(t, c, passthrough.Wasm)
	kept(t, dir)
	if mode := stat(t, dir).Mode().Perm(); mode != 0o700 {
		t.Errorf("mode %o", mode)
	}
}

func TestEnsure_ManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		c := open(t, compile.Options{Dir: dir})
		wg.Go(func() { errs[i] = c.Ensure(t.Context(), passthrough.Wasm) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	kept(t, dir)
}

func TestCache_TemporaryLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := open(t, compile.Options{Temporary: true})
	ensure(t, c, passthrough.Wasm)
	kept(t, os.Getenv("TMPDIR"))
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOpen_RemovesWhatNobodyUses(t *testing.T) {
	dir := t.TempDir()
	ensure(t, open(t, compile.Options{Dir: dir}), passthrough.Wasm)
	entry, record := kept(t, dir)
	old, older := time.Now().Add(-10*24*time.Hour), time.Now().Add(-40*24*time.Hour)
	abandoned := filepath.Join(dir, "compiling-1")
	if err := errors.Join(os.Chtimes(entry, old, old), os.Chtimes(record, old, old), os.Mkdir(abandoned, 0o700),
		os.WriteFile(filepath.Join(abandoned, "x"), nil, 0o600), os.Chtimes(abandoned, older, older)); err != nil {
		t.Fatal(err)
	}
	c := open(t, compile.Options{Dir: dir})
	if kept(t, dir); time.Since(stat(t, entry).ModTime()) < 24*time.Hour {
		t.Fatal("opening touched the entry")
	}
	ensure(t, c, passthrough.Wasm)
	if time.Since(stat(t, entry).ModTime()) > time.Hour || time.Since(stat(t, record).ModTime()) > time.Hour {
		t.Error("a used entry looks unused")
	}
	if err := errors.Join(os.Chtimes(entry, older, older), os.Chtimes(record, older, older)); err != nil {
		t.Fatal(err)
	}
	open(t, compile.Options{Dir: dir})
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestOpen_RefusesADirectoryOfOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := compile.Open(compile.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "others may write to") {
		t.Errorf("error %v", err)
	}
}
