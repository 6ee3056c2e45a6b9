package statetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/state"
)

func (k *kit) getSet() {
	k.set("a", "1", "b", "2")
	k.has(k.store, "a", "1")
	k.has(k.store, "b", "2")
	k.set("a", "3")
	k.has(k.store, "a", "3")
	b := k.store.NewBatch()
	k.ok(b.Delete([]byte("a")))
	k.ok(b.Delete([]byte("never")))
	k.commit(b, false)
	k.lacks(k.store, "a")
	k.lacks(k.store, "never")
	k.has(k.store, "b", "2")
}

func (k *kit) missing() {
	k.set("empty", "")
	k.has(k.store, "empty", "")
	k.lacks(k.store, "emp")
	k.lacks(k.store, "empty\x00")
	if got := k.scan(k.store, nil, nil); !slices.Equal(got, []string{"empty", ""}) {
		k.Fatalf("scan: %q", got)
	}
	b := k.store.NewBatch()
	k.ok(b.Set([]byte("nil"), nil))
	k.commit(b, false)
	k.has(k.store, "nil", "")
}

func (k *kit) binary() {
	keys := []string{"", "\x00", "\x00\x00", "\x00\xff", "a", "a\x00", "a\x00b", "\xff", "\xff\xff", strings.Repeat("\xff", 5000)}
	for i, key := range keys {
		k.set(key, fmt.Sprint(i))
	}
	for i, key := range keys {
		k.has(k.store, key, fmt.Sprint(i))
	}
	got := k.scan(k.store, nil, nil)
	for i, key := range keys {
		if len(got) != 2*len(keys) || got[2*i] != key {
			k.Fatalf("scan: %.200q", got)
		}
	}
}

func (k *kit) large() {
	value := strings.Repeat("0123456789abcdef", 1<<16+1)
	k.set("large", value, "small", "s")
	k.has(k.store, "large", value)
	if got := k.scan(k.store, nil, nil); len(got) != 4 || got[1] != value || got[3] != "s" {
		k.Fatal("scan lost a large value")
	}
}

func (k *kit) appends() {
	k.set("a", "value")
	v, ok, err := k.store.Get([]byte("a"), []byte("dst:"))
	k.ok(err)
	if !ok || string(v) != "dst:value" {
		k.Fatalf("Get = %q, %v", v, ok)
	}
	v, ok, err = k.store.Get([]byte("b"), []byte("dst:"))
	k.ok(err)
	if ok || string(v) != "dst:" {
		k.Fatalf("Get of a missing key = %q, %v", v, ok)
	}
	dst := make([]byte, 0, 64)
	v, _, err = k.store.Get([]byte("a"), dst)
	k.ok(err)
	if &v[0] != &dst[:1][0] {
		k.Fatal("Get did not use the room in dst")
	}
}

func (k *kit) copies() {
	k.set("gone", "x")
	b := k.store.NewBatch()
	buf := []byte("key1val1")
	k.ok(b.Set(buf[:4], buf[4:]))
	copy(buf, "gone")
	k.ok(b.Delete(buf[:4]))
	copy(buf, "key2val2")
	k.commit(b, false)
	k.has(k.store, "key1", "val1")
	k.lacks(k.store, "key2")
	k.lacks(k.store, "gone")
	v, _, err := k.store.Get([]byte("key1"), nil)
	k.ok(err)
	clear(v)
	k.has(k.store, "key1", "val1")
}

func (k *kit) order() {
	var keys []string
	for i := range 1000 {
		keys = append(keys, fmt.Sprint(i*7919%1000))
	}
	for part := range slices.Chunk(keys, 100) {
		b := k.store.NewBatch()
		for _, key := range part {
			k.ok(b.Set([]byte(key), []byte("v"+key)))
		}
		k.commit(b, false)
	}
	slices.Sort(keys)
	got := k.scan(k.store, nil, nil)
	for i, key := range keys {
		if got[2*i] != key || got[2*i+1] != "v"+key {
			k.Fatalf("key %d is %q = %q, want %q", i, got[2*i], got[2*i+1], key)
		}
	}
}

func (k *kit) bounds() {
	k.set("", "0", "a", "1", "b", "2", "c", "3")
	for _, test := range []struct {
		lower, upper []byte
		want         string
	}{
		{nil, nil, "0123"},
		{[]byte(""), nil, "0123"},
		{[]byte("a"), nil, "123"},
		{[]byte("a\x00"), nil, "23"},
		{[]byte("d"), nil, ""},
		{nil, []byte("b"), "01"},
		{nil, []byte("b\x00"), "012"},
		{nil, []byte("a"), "0"},
		{[]byte("a"), []byte("c"), "12"},
		{[]byte("b"), []byte("b"), ""},
		{[]byte("c"), []byte("a"), ""},
	} {
		got := k.scan(k.store, test.lower, test.upper)
		var values string
		for i := 1; i < len(got); i += 2 {
			values += got[i]
		}
		if values != test.want {
			k.Errorf("[%q, %q): values %q, want %q", test.lower, test.upper, values, test.want)
		}
	}
}

func (k *kit) seek() {
	k.set("a", "1", "c", "3", "e", "5", "g", "7")
	it, err := k.store.Iterate([]byte("b"), []byte("g"))
	k.ok(err)
	at := func(ok bool, key string) {
		k.Helper()
		if ok != (key != "") || string(it.Key()) != key {
			k.Fatalf("on %q, %v; want %q", it.Key(), ok, key)
		}
	}
	at(it.SeekGE([]byte("c")), "c")
	at(it.Next(), "e")
	at(it.SeekGE([]byte("a")), "c") // below the lower bound
	at(it.SeekGE([]byte("d")), "e")
	at(it.Next(), "")
	at(it.SeekGE(nil), "c")
	at(it.SeekGE([]byte("f")), "") // g is the upper bound
	at(it.SeekGE([]byte("x")), "")
	at(it.Next(), "")
	at(it.SeekGE([]byte("b")), "c")
	k.ok(it.Err())
	k.ok(it.Close())

	it, err = k.store.Iterate([]byte("e"), []byte("b"))
	k.ok(err)
	for _, key := range []string{"a", "c", "e", "x"} {
		at(it.SeekGE([]byte(key)), "")
	}
	k.ok(it.Err())
	k.ok(it.Close())
}

func (k *kit) iteratorStable() {
	k.set("a", "1", "b", "2", "c", "3")
	it, err := k.store.Iterate(nil, nil)
	k.ok(err)
	if !it.Next() {
		k.Fatal("no first key")
	}
	k.change()
	want := []string{"b", "2", "c", "3"}
	if got := k.rest(it); !slices.Equal(got, want) {
		k.Fatalf("the rest is %q, want %q", got, want)
	}
	if !it.SeekGE(nil) || string(it.Key()) != "a" || string(it.Value()) != "1" {
		k.Fatalf("seek finds %q = %q", it.Key(), it.Value())
	}
	k.ok(it.Close())
}

func (k *kit) snapshotStable() {
	k.set("a", "1", "b", "2", "c", "3")
	snap := k.store.Snapshot()
	k.change()
	k.has(snap, "a", "1")
	k.has(snap, "b", "2")
	k.lacks(snap, "bb")
	want := []string{"a", "1", "b", "2", "c", "3"}
	if got := k.scan(snap, nil, nil); !slices.Equal(got, want) {
		k.Fatalf("snapshot is %q, want %q", got, want)
	}
	if got := k.scan(k.store, nil, nil); !slices.Equal(got, []string{"b", "x", "bb", "y"}) {
		k.Fatalf("store is %q", got)
	}
	k.ok(snap.Close())
}

// change deletes a, changes b, inserts bb and deletes c by range.
func (k *kit) change() {
	k.Helper()
	b := k.store.NewBatch()
	k.ok(b.Delete([]byte("a")))
	k.ok(b.Set([]byte("b"), []byte("x")))
	k.ok(b.Set([]byte("bb"), []byte("y")))
	k.ok(b.DeleteRange([]byte("c"), []byte("d")))
	k.commit(b, false)
}

// atomic has readers look at pairs of keys that a writer keeps equal.
func (k *kit) atomic() {
	k.set("x", "0", "y", "0")
	done := make(chan error, 4)
	stop := make(chan struct{})
	for range cap(done) {
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				if err := equalPair(k.store); err != nil {
					done <- err
					return
				}
			}
		}()
	}
	for i := range 300 {
		k.set("x", fmt.Sprint(i), "y", fmt.Sprint(i))
	}
	close(stop)
	for range cap(done) {
		if err := <-done; err != nil {
			k.Error(err)
		}
	}
}

func equalPair(s state.Store) error {
	snap := s.Snapshot()
	defer snap.Close()
	x, _, err := snap.Get([]byte("x"), nil)
	if err != nil {
		return err
	}
	y, _, err := snap.Get([]byte("y"), nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(x, y) {
		return fmt.Errorf("snapshot has x = %q, y = %q", x, y)
	}
	it, err := s.Iterate(nil, nil)
	if err != nil {
		return err
	}
	defer it.Close()
	var values [2]string
	for i := 0; it.Next() && i < 2; i++ {
		values[i] = string(it.Value())
	}
	if it.Err() == nil && values[0] != values[1] {
		return fmt.Errorf("iterator has x = %q, y = %q", values[0], values[1])
	}
	return it.Err()
}
