package wasi_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasi"
)

func TestSave_KeepsClocksAndDescriptors(t *testing.T) {
	c := wasi.Config{Files: tree()}
	g := newGuest(t, c)
	g.sleep(5e9)
	g.want(wasi.OK, "clock_time_get", 0, 1, 8)
	g.want(wasi.OK, "fd_close", 0)
	g.want(wasi.OK, "fd_close", g.open("lib"))
	saved, err := g.s.Save()
	if err != nil {
		t.Fatal(err)
	}
	want := "\x01\x8e" + "\x00\xf2\x05\x2a\x01\x00\x00\x00" + "\xe8\x03\x00\x00\x00\x00\x00\x00"
	if string(saved) != want {
		t.Fatalf("saved % x, want % x", saved, want)
	}
	r := newGuest(t, c)
	if err := r.s.Restore(saved); err != nil {
		t.Fatal(err)
	}
	if got := r.monotonic(); got != 5e9+wasi.Tick {
		t.Errorf("monotonic clock %d", got)
	}
	r.want(wasi.OK, "clock_time_get", 0, 1, 8)
	if got := r.u64(8); got != 2*wasi.Tick {
		t.Errorf("wall clock %d", got)
	}
	r.want(wasi.EBADF, "fd_sync", 0)
	r.want(wasi.OK, "fd_sync", 3)
	if again, err := r.s.Save(); err != nil || bytes.Equal(again, saved) || again[1] != saved[1] {
		t.Errorf("saved again % x, %v", again, err)
	}
}

func TestSave_RefusesOpenFiles(t *testing.T) {
	g := newGuest(t, wasi.Config{Files: tree()})
	g.want(wasi.OK, "fd_close", 0)
	g.open("lib/a.py")
	_, err := g.s.Save()
	if !errors.Is(err, wasi.ErrNotImageable) || !strings.Contains(err.Error(), `file descriptor 0 is open on "lib/a.py"`) {
		t.Errorf("%v", err)
	}
}

func TestRestore_RefusesWhatItDidNotSave(t *testing.T) {
	bare, err := newGuest(t, wasi.Config{}).s.Save()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte) []byte{
		"empty":   func([]byte) []byte { return nil },
		"version": func(b []byte) []byte { b[0] = 2; return b },
		"short":   func(b []byte) []byte { return b[:17] },
		"long":    func(b []byte) []byte { return append(b, 0) },
		"files":   func(b []byte) []byte { b[1] |= 8; return b },
		"tree":    func(b []byte) []byte { b[1] |= 0x80; return b },
		"clock":   func(b []byte) []byte { b[9] = 0x80; return b },
		"start":   func(b []byte) []byte { b[17] = 0x80; return b },
	} {
		if err := newGuest(t, wasi.Config{}).s.Restore(change(bytes.Clone(bare))); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
	if err := newGuest(t, wasi.Config{Files: tree()}).s.Restore(bare); err == nil {
		t.Error("a state without a tree was accepted by one with a tree")
	}
	if err := newGuest(t, wasi.Config{}).s.Restore(bare); err != nil {
		t.Error(err)
	}
}
