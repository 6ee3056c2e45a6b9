package compile_test

import (
	"bytes"
	"context"
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

// load has wasm loaded into a runtime of its own.
func load(ctx context.Context, c *compile.Cache, wasm []byte) error {
	stub, err := compile.Stub(wasm)
	if err != nil {
		return err
	}
	rt := wazero.NewRuntimeWithConfig(ctx, c.Runtime())
	_, err = c.Load(ctx, rt, compile.Module{Stub: stub, Whole: func() ([]byte, error) { return wasm, nil }})
	return errors.Join(err, rt.Close(context.WithoutCancel(ctx)))
}

// loaded expects that wasm can be loaded.
func loaded(t *testing.T, c *compile.Cache, wasm []byte) {
	t.Helper()
	if err := load(t.Context(), c, wasm); err != nil {
		t.Fatal(err)
	}
}

func TestLoad_WhatIsKeptIsItsOwners(t *testing.T) {
	for _, config := range []compile.Config{{}, {DebugInfo: true}} {
		dir := filepath.Join(t.TempDir(), "cache")
		loaded(t, open(t, compile.Options{Dir: dir, Config: config}), passthrough.Wasm)
		entry, record := kept(t, dir)
		if stat(t, entry).Mode() != 0o600 || stat(t, record).Mode() != 0o600 || stat(t, dir).Mode().Perm() != 0o700 {
			t.Error("others may read the cache")
		}
	}
}

func TestLoad_ReplacesWhatIsNotWhatItWas(t *testing.T) {
	foreign := t.TempDir()
	loaded(t, open(t, compile.Options{Dir: foreign}), nested(3))
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
			b := bytes.Replace(read(t, record), []byte(`"format":"3"`), []byte(`"format":"4"`), 1)
			return os.WriteFile(record, b, 0o600)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			c := open(t, compile.Options{Dir: dir})
			loaded(t, c, passthrough.Wasm)
			entry, record := kept(t, dir)
			good, goodRecord := read(t, entry), read(t, record)
			if err := test.damage(entry, record); err != nil {
				t.Fatal(err)
			}
			loaded(t, c, passthrough.Wasm)
			if !bytes.Equal(read(t, entry), good) || !bytes.Equal(read(t, record), goodRecord) {
				t.Error("the entry was not made again")
			}
			kept(t, dir)
		})
	}
}

func TestLoad_AGoodEntryIsNotMadeAgain(t *testing.T) {
	dir := t.TempDir()
	loaded(t, open(t, compile.Options{Dir: dir}), passthrough.Wasm)
	entry, _ := kept(t, dir)
	before := stat(t, entry)
	loaded(t, open(t, compile.Options{Dir: dir, Command: []string{"false"}}), passthrough.Wasm)
	if !os.SameFile(before, stat(t, entry)) {
		t.Error("it was made again")
	}
}

func TestLoad_ADamagedEntryOfWhichNoneCanBeMadeIsRemoved(t *testing.T) {
	dir := t.TempDir()
	loaded(t, open(t, compile.Options{Dir: dir}), passthrough.Wasm)
	entry, _ := kept(t, dir)
	if err := os.Truncate(entry, 10); err != nil {
		t.Fatal(err)
	}
	if err := load(t.Context(), open(t, compile.Options{Dir: dir, Command: []string{"false"}}), passthrough.Wasm); err == nil {
		t.Fatal("no error")
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Another process may have made the entry, and verified it, before this one
// fails.
func TestLoad_AFailureLeavesWhatOthersHaveMade(t *testing.T) {
	theirs, dir := t.TempDir(), t.TempDir()
	loaded(t, open(t, compile.Options{Dir: theirs}), passthrough.Wasm)
	meanwhile := []string{"sh", "-c", fmt.Sprintf("cp -r %s/. %s && exit 1", theirs, dir)}
	if err := load(t.Context(), open(t, compile.Options{Dir: dir, Command: meanwhile}), passthrough.Wasm); err == nil {
		t.Fatal("no error")
	}
	kept(t, dir)
}

func TestLoad_MakesACacheAgainThatWasRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := open(t, compile.Options{Dir: dir})
	loaded(t, c, passthrough.Wasm)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	loaded(t, c, passthrough.Wasm)
	kept(t, dir)
	if mode := stat(t, dir).Mode().Perm(); mode != 0o700 {
		t.Errorf("mode %o", mode)
	}
}

func TestLoad_ManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		c := open(t, compile.Options{Dir: dir})
		wg.Go(func() { errs[i] = load(t.Context(), c, passthrough.Wasm) })
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
	loaded(t, c, passthrough.Wasm)
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
	loaded(t, open(t, compile.Options{Dir: dir}), passthrough.Wasm)
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
	loaded(t, c, passthrough.Wasm)
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
