package pebblestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/pebblestore"
)

// TestFormat_IsAsDocumented reads a store's files and FORMAT.md.
func TestFormat_IsAsDocumented(t *testing.T) {
	if pebblestore.Format != pebble.FormatNewest {
		t.Errorf("the pinned format is %d, Pebble's newest stable one %d: decide anew", pebblestore.Format, pebble.FormatNewest)
	}
	text, err := os.ReadFile("../FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	if pin := fmt.Sprintf("%d, `FormatValueSeparation`", pebblestore.Format); !strings.Contains(string(text), pin) {
		t.Errorf("FORMAT.md does not say %q", pin)
	}
	dir := t.TempDir()
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"LOCK", "*.log", "MANIFEST-*", "marker.manifest.*", "OPTIONS-*", fmt.Sprintf("marker.format-version.*.%03d", pebblestore.Format)} {
		if names, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(names) == 0 {
			all, _ := filepath.Glob(filepath.Join(dir, "*"))
			t.Errorf("no file %s in %q", pattern, all)
		}
	}
}

func TestOpen_NamesTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sub", "store")
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{dir, link} {
		_, err = pebblestore.Open(again, pebblestore.Options{})
		if !errors.Is(err, state.ErrLocked) || !strings.Contains(fmt.Sprint(err), again) {
			t.Errorf("open %s again: %v", again, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = pebblestore.Open(file, pebblestore.Options{})
	if err == nil || errors.Is(err, state.ErrLocked) || !strings.Contains(err.Error(), file) {
		t.Errorf("open a file: %v", err)
	}
}

func TestOpen_ReadOnlyChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(s *pebblestore.Store) error {
		b := s.NewBatch()
		defer b.Close()
		if err := b.Set([]byte("a"), []byte("1")); err != nil {
			return err
		}
		return b.Commit(true)
	}
	if err := errors.Join(put(s), s.Close()); err != nil {
		t.Fatal(err)
	}
	s, err = pebblestore.Open(dir, pebblestore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok, err := s.Get([]byte("a"), nil); !ok || string(v) != "1" || err != nil {
		t.Errorf("Get = %q, %v, %v", v, ok, err)
	}
	if err := put(s); err == nil || errors.Is(err, state.ErrOutcomeUnknown) {
		t.Errorf("Commit: %v, want an error that says nothing was applied", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := pebblestore.Open(missing, pebblestore.Options{ReadOnly: true}); err == nil {
		t.Error("a missing store opens for reading")
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening a missing store for reading made it: %v", err)
	}
}

func TestCache_IsSharedByStores(t *testing.T) {
	checkLeaks(t)
	cache := pebblestore.NewCache(1<<20, 100)
	var stores []*pebblestore.Store
	for range 3 {
		s, err := pebblestore.Open(t.TempDir(), pebblestore.Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, s)
	}
	for i, s := range stores {
		b := s.NewBatch()
		if err := b.Set([]byte("a"), []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		if err := b.Commit(false); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range stores {
		if v, _, err := s.Get([]byte("a"), nil); err != nil || len(v) != 1 || v[0] != byte(i) {
			t.Errorf("store %d has %v, %v", i, v, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	cache.Close()
}
