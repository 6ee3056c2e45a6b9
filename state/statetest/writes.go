package statetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wasmill/wasmill/state"
)

func (k *kit) invisible() {
	k.set("a", "1")
	b := k.store.NewBatch()
	k.ok(b.Set([]byte("a"), []byte("2")))
	k.ok(b.Set([]byte("b"), []byte("2")))
	k.has(k.store, "a", "1")
	k.lacks(k.store, "b")
	k.commit(b, false)
	k.has(k.store, "a", "2")
	k.has(k.store, "b", "2")
}

func (k *kit) closedBatch() {
	b := k.store.NewBatch()
	k.ok(b.Set([]byte("a"), []byte("1")))
	k.ok(b.Close())
	k.ok(b.Close())
	k.lacks(k.store, "a")
	if err := b.Commit(false); !errors.Is(err, state.ErrClosed) {
		k.Fatalf("Commit of a closed batch: %v", err)
	}
	k.lacks(k.store, "a")
}

func (k *kit) laterWins() {
	k.set("d", "0")
	b := k.store.NewBatch()
	k.ok(b.Set([]byte("a"), []byte("1")))
	k.ok(b.Set([]byte("a"), []byte("2")))
	k.ok(b.Set([]byte("b"), []byte("1")))
	k.ok(b.Delete([]byte("b")))
	k.ok(b.Delete([]byte("c")))
	k.ok(b.Set([]byte("c"), []byte("1")))
	k.ok(b.Delete([]byte("d")))
	k.ok(b.Set([]byte("e"), []byte("1")))
	k.ok(b.DeleteRange([]byte("e"), []byte("g")))
	k.ok(b.Set([]byte("f"), []byte("2")))
	k.commit(b, false)
	want := []string{"a", "2", "c", "1", "f", "2"}
	if got := k.scan(k.store, nil, nil); !slices.Equal(got, want) {
		k.Fatalf("store is %q, want %q", got, want)
	}
	k.lacks(k.store, "d")
	k.lacks(k.store, "e")
}

func (k *kit) deleteRange() {
	for _, test := range []struct{ lower, upper, want string }{
		{"b", "d", "ade"},
		{"", "c", "cde"},
		{"b", "b", "abcde"},
		{"d", "b", "abcde"},
		{"", "", "abcde"},
		{"a\x00", "b\x00", "acde"},
		{"f", "g", "abcde"},
		{"a", "z", ""},
	} {
		k.set("a", "", "b", "", "c", "", "d", "", "e", "")
		b := k.store.NewBatch()
		k.ok(b.DeleteRange([]byte(test.lower), []byte(test.upper)))
		k.commit(b, false)
		got := ""
		for i, s := range k.scan(k.store, nil, nil) {
			if i%2 == 0 {
				got += s
			}
		}
		if got != test.want {
			k.Errorf("DeleteRange(%q, %q) leaves %q, want %q", test.lower, test.upper, got, test.want)
		}
	}
	k.set("a", "again")
	k.has(k.store, "a", "again")
}

func (k *kit) emptyBatch() {
	k.set("a", "1")
	for _, sync := range []bool{false, true} {
		b := k.store.NewBatch()
		if n := b.Len(); n != 0 {
			k.Errorf("an empty batch holds %d bytes", n)
		}
		k.commit(b, sync)
	}
	k.has(k.store, "a", "1")
	b := k.store.NewBatch()
	k.ok(b.Set([]byte("key"), make([]byte, 100)))
	if n := b.Len(); n < 103 || n > 203 {
		k.Errorf("a batch of 103 bytes holds %d", n)
	}
	k.ok(b.Close())
}

func (k *kit) reopen() {
	for i := range 20 {
		b := k.store.NewBatch()
		k.ok(b.Set(fmt.Appendf(nil, "k%d", i), []byte("v")))
		k.ok(b.Delete(fmt.Appendf(nil, "k%d", i-10)))
		k.commit(b, i%3 == 0)
		if i%5 == 4 {
			k.ok(k.store.Close())
			k.open()
		}
	}
	for i := range 20 {
		if key := fmt.Sprintf("k%d", i); i < 10 {
			k.lacks(k.store, key)
		} else {
			k.has(k.store, key, "v")
		}
	}
}

func (k *kit) locked() {
	k.set("a", "1")
	if _, err := k.disk(); !errors.Is(err, state.ErrLocked) {
		k.Fatalf("a second Open: %v, want ErrLocked", err)
	}
	k.has(k.store, "a", "1")
	k.ok(k.store.Close())
	k.open()
	k.has(k.store, "a", "1")
}

func (k *kit) closed() {
	want := func(what string, err error) {
		k.Helper()
		if !errors.Is(err, state.ErrClosed) {
			k.Errorf("%s: %v, want ErrClosed", what, err)
		}
	}
	k.set("a", "1")
	committed := k.store.NewBatch()
	k.ok(committed.Set([]byte("b"), nil))
	k.ok(committed.Commit(false))
	want("Set of a committed batch", committed.Set([]byte("c"), nil))
	want("Delete of a committed batch", committed.Delete([]byte("c")))
	want("DeleteRange of a committed batch", committed.DeleteRange([]byte("c"), []byte("d")))
	want("Commit of a committed batch", committed.Commit(false))
	k.ok(committed.Close())

	it, err := k.store.Iterate(nil, nil)
	k.ok(err)
	if !it.Next() {
		k.Fatal("no first key")
	}
	k.ok(it.Close())
	if it.Next() || it.Key() != nil || it.SeekGE(nil) {
		k.Error("a closed iterator moves")
	}
	want("Err of a closed iterator", it.Err())
	want("Close of a closed iterator", it.Close())

	snap := k.store.Snapshot()
	k.ok(snap.Close())
	_, _, err = snap.Get([]byte("a"), nil)
	want("Get of a closed snapshot", err)
	_, err = snap.Iterate(nil, nil)
	want("Iterate of a closed snapshot", err)
	want("Close of a closed snapshot", snap.Close())

	s := k.store
	k.ok(s.Close())
	k.store = nil
	_, _, err = s.Get([]byte("a"), nil)
	want("Get of a closed store", err)
	_, err = s.Iterate(nil, nil)
	want("Iterate of a closed store", err)
	_, _, err = s.Snapshot().Get([]byte("a"), nil)
	want("Snapshot of a closed store", err)
	b := s.NewBatch()
	if err := b.Set([]byte("a"), nil); err != nil {
		want("Set of a closed store", err)
	}
	want("Commit of a closed store", b.Commit(false))
	k.ok(b.Close())
	want("Close of a closed store", s.Close())
}
