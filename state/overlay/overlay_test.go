package overlay_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
	"github.com/wasmill/wasmill/state/overlay"
)

// nothing is a Reader without a key.
type nothing struct{}

func (nothing) Get(_, dst []byte) ([]byte, bool, error)         { return dst, false, nil }
func (nothing) Iterate(_, _ []byte) (state.Iterator, error)     { return none{}, nil }
func key(dst []byte, n int) []byte                              { return fmt.Appendf(dst[:0], "key-%08d", n) }
func commitDelta(t *testing.T, s state.Store, d *overlay.Delta) { t.Helper(); must(t, write(s, d)) }

type none struct{}

func (none) Next() bool         { return false }
func (none) SeekGE([]byte) bool { return false }
func (none) Key() []byte        { return nil }
func (none) Value() []byte      { return nil }
func (none) Err() error         { return nil }
func (none) Close() error       { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOverlay_AllocatesNothing runs whole epochs: reads, batches that are kept
// and undone, a seal, a walk over the delta, its turn to clean entries.
func TestOverlay_AllocatesNothing(t *testing.T) {
	keys := make([][]byte, 2000)
	for n := range keys {
		keys[n] = key(nil, n)
	}
	value := make([]byte, 24)
	for _, cache := range []int{0, 64 << 10, 16 << 20} {
		o := overlay.New(nothing{}, cache)
		epoch := func() {
			for part := range 20 {
				o.Begin()
				for _, k := range keys[part*100:][:100] {
					if _, _, err := o.Get(k); err != nil {
						t.Fatal(err)
					}
					o.Put(k, value)
				}
				o.Delete(keys[part])
				o.Keep()
				o.Begin()
				o.Put(keys[part+50], value[:part])
				o.Undo()
			}
			n := 0
			for range o.Seal().All() {
				n++
			}
			if n != len(keys) {
				t.Fatalf("%d keys in the delta, want %d", n, len(keys))
			}
			o.Committed()
		}
		for range 8 {
			epoch()
		}
		// Sorting and walking take a handful an epoch; 4,000 operations none.
		if n := testing.AllocsPerRun(20, epoch); n > 8 {
			t.Errorf("cache %d: %v allocations an epoch of 4,000 operations", cache, n)
		}
	}
}

func TestOverlay_CacheSparesReadsOfTheStore(t *testing.T) {
	reads := 0
	s := memstore.New(memstore.Options{BeforeRead: func() error { reads++; return nil }})
	o := overlay.New(s, 1<<20)
	var k []byte
	for n := range 100 {
		o.Put(key(k, n), []byte("v"))
	}
	commitDelta(t, s, o.Seal())
	o.Committed()
	for range 3 {
		for n := range 200 { // half of them are absent
			_, ok, err := o.Get(key(k, n))
			if must(t, err); ok != (n < 100) {
				t.Fatalf("key %d: %v", n, ok)
			}
		}
	}
	if reads != 100 {
		t.Errorf("%d reads of the store, want one for each of 100 absent keys", reads)
	}
}

func TestOverlay_LargeValuesStayOutOfTheCache(t *testing.T) {
	reads := 0
	s := memstore.New(memstore.Options{BeforeRead: func() error { reads++; return nil }})
	o := overlay.New(s, 16<<10)
	small, large := []byte("small"), bytes.Repeat([]byte("x"), 4<<10)
	o.Put([]byte("small"), small)
	o.Put([]byte("large"), small)
	commitDelta(t, s, o.Seal())
	o.Committed()
	o.Put([]byte("large"), large) // a small one is in the cache
	commitDelta(t, s, o.Seal())
	o.Committed()
	for i := range 3 {
		v, _, err := o.Get([]byte("large"))
		if must(t, err); !bytes.Equal(v, large) {
			t.Fatalf("large is %d bytes", len(v))
		}
		if reads != i+1 {
			t.Fatalf("%d reads, want one for each Get of the large value", reads)
		}
	}
	if _, _, err := o.Get([]byte("small")); err != nil || reads != 3 {
		t.Errorf("the large value drove out the small one: %d reads, %v", reads, err)
	}
}

func TestOverlay_ErrorsOfTheStore(t *testing.T) {
	fault := errors.New("bad sector")
	var on error
	s := memstore.New(memstore.Options{BeforeRead: func() error { return on }})
	o := overlay.New(s, 1<<20)
	o.Put([]byte("a"), []byte("1"))
	commitDelta(t, s, o.Seal())
	o.Committed()
	o = overlay.New(s, 1<<20)
	scan, err := o.Scan(nil, nil)
	must(t, err)
	on = fault
	if scan.Next() || !errors.Is(scan.Err(), fault) {
		t.Errorf("Next: %v", scan.Err())
	}
	must(t, scan.Close())
	if _, _, err := o.Get([]byte("a")); !errors.Is(err, fault) {
		t.Errorf("Get: %v", err)
	}
	if _, err := o.Scan(nil, nil); !errors.Is(err, fault) {
		t.Errorf("Scan: %v", err)
	}
	on = nil
	if v, ok, err := o.Get([]byte("a")); !ok || string(v) != "1" || err != nil {
		t.Errorf("Get after the fault = %q, %v, %v: the fault was cached", v, ok, err)
	}
}

func TestOverlay_BytesFollowTheWrites(t *testing.T) {
	o := overlay.New(nothing{}, 0)
	if n := o.Bytes(); n != 0 {
		t.Errorf("an empty delta has %d bytes", n)
	}
	o.Put(make([]byte, 100), make([]byte, 1000))
	one := o.Bytes()
	if one < 1100 || one > 1200 {
		t.Errorf("an entry of 1,100 bytes has %d", one)
	}
	for range 1000 {
		o.Put(make([]byte, 100), make([]byte, 1000))
	}
	if n := o.Bytes(); n != one {
		t.Errorf("%d bytes after the same write again, want %d", n, one)
	}
	o.Begin()
	for n := range 100 {
		o.Put(key(nil, n), make([]byte, 1<<20))
		o.Put(make([]byte, 100), make([]byte, 1000+n*100))
	}
	if n := o.Bytes(); n < 100<<20 {
		t.Errorf("100 MiB more have %d bytes", n)
	}
	o.Undo()
	if n := o.Bytes(); n != one {
		t.Errorf("%d bytes after Undo, want %d", n, one)
	}
	for n := range 2000 {
		o.Put(make([]byte, 100), make([]byte, n*500))
	}
	// Room grows by half, so at most three times the last room in all.
	if n := o.Bytes(); n > 3*3<<19 {
		t.Errorf("a value that grew to 1 MB leaves %d bytes", n)
	}
	if d := o.Seal(); o.Bytes() != 0 || d.Bytes() == 0 || d.Len() != 1 {
		t.Errorf("after Seal %d open, %d sealed, %d keys", o.Bytes(), d.Bytes(), d.Len())
	}
}

// TestOverlay_UndoAfterGrowth undoes batches in which the tables grew, so that
// older keys had moved behind newer ones.
func TestOverlay_UndoAfterGrowth(t *testing.T) {
	for n := 1; n < 1200; n = n*5/4 + 1 {
		o := overlay.New(nothing{}, 0)
		var k []byte
		for i := range n {
			o.Put(key(k, i), []byte("old"))
		}
		o.Begin()
		for i := range 5 * n {
			o.Put(key(k, i), []byte("new"))
		}
		o.Undo()
		for i := range 5 * n {
			v, ok, err := o.Get(key(k, i))
			if must(t, err); ok != (i < n) || ok && string(v) != "old" {
				t.Fatalf("%d keys: key %d is %q, %v", n, i, v, ok)
			}
		}
		if d := o.Seal(); d.Len() != n {
			t.Fatalf("%d keys in the delta, want %d", d.Len(), n)
		}
	}
}

// TestOverlay_ViewAsKey reads a key that is the value of the read before.
func TestOverlay_ViewAsKey(t *testing.T) {
	for _, cache := range []int{0, 2 << 10, 1 << 20} {
		reads := 0
		s := memstore.New(memstore.Options{BeforeRead: func() error { reads++; return nil }})
		b := s.NewBatch()
		var k []byte
		for i := range 100 {
			must(t, b.Set(key(k, i), key(nil, (i+1)%100)))
		}
		must(t, b.Commit(false))
		o := overlay.New(s, cache)
		for range 3 {
			next := key(nil, 0)
			for i := range 100 {
				v, ok, err := o.Get(next)
				if must(t, err); !ok || string(v) != string(key(k, (i+1)%100)) {
					t.Fatalf("cache %d: the value of key %d is %q, %v", cache, i, v, ok)
				}
				next = v
			}
		}
		if want := 100; cache == 1<<20 && reads != want {
			t.Errorf("%d reads of the store, want %d", reads, want)
		}
	}
}

// TestDelta_AllIsInOrder has many keys that share long beginnings.
func TestDelta_AllIsInOrder(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("replay with -seed=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	for _, alphabet := range []string{"\x00", "\x00\x01", "ab", "\x00\xff", "0123456789"} {
		for _, longest := range []int{6, 20, 200, -40} { // all of one length if negative
			o := overlay.New(nothing{}, 0)
			want := map[string]bool{}
			prefix := make([]byte, rng.IntN(20))
			for range 5000 {
				k := bytes.Clone(prefix)
				n := -longest
				if n < 0 {
					n = rng.IntN(longest)
				}
				for range n {
					c := alphabet[0]
					if rng.IntN(8) == 0 {
						c = alphabet[rng.IntN(len(alphabet))]
					}
					k = append(k, c)
				}
				o.Put(k, nil)
				want[string(k)] = true
			}
			sorted := slices.Sorted(maps.Keys(want))
			i := 0
			for k := range o.Seal().All() {
				if string(k) != sorted[i] {
					t.Fatalf("alphabet %q, up to %d: key %d is %q, want %q", alphabet, longest, i, k, sorted[i])
				}
				i++
			}
			if i != len(sorted) {
				t.Fatalf("%d keys, want %d", i, len(sorted))
			}
		}
	}
}

// TestDelta_IsReadBesideTheTask walks over a sealed delta while the task reads,
// writes and scans.
func TestDelta_IsReadBesideTheTask(t *testing.T) {
	s := memstore.New(memstore.Options{})
	o := overlay.New(s, 1<<20)
	for epoch := range 5 {
		var k []byte
		for i := range 3000 {
			o.Put(key(k, i*(epoch+1)), k)
		}
		d := o.Seal()
		done := make(chan error)
		go func() { done <- write(s, d) }()
		for i := range 300 {
			_, _, err := o.Get(key(k, i))
			must(t, err)
			o.Put(key(k, i*3), []byte("x"))
			if i%100 == 0 {
				scan, err := o.Scan(nil, nil)
				must(t, err)
				for range 2000 {
					scan.Next()
				}
				must(t, errors.Join(scan.Err(), scan.Close()))
			}
		}
		must(t, <-done)
		o.Committed()
	}
}

// TestOverlay_PagedScanDoesNotSortAgain scans a delta in pages while each page
// is deleted; with a sort or a merge of all keys a page it would take minutes.
func TestOverlay_PagedScanDoesNotSortAgain(t *testing.T) {
	const n = 200_000
	o := overlay.New(nothing{}, 0)
	var k []byte
	for i := range n {
		o.Put(key(k, i*7919%n), []byte("v"))
	}
	var page [][]byte
	lower, seen := []byte(nil), 0
	for {
		s, err := o.Scan(lower, nil)
		must(t, err)
		page = page[:0]
		for len(page) < 10 && s.Next() {
			page = append(page, bytes.Clone(s.Key()))
		}
		must(t, errors.Join(s.Err(), s.Close()))
		if len(page) == 0 {
			break
		}
		for i, p := range page {
			if want := string(key(k, seen)); string(p) != want {
				t.Fatalf("key %d is %q, want %q", seen, p, want)
			}
			seen++
			o.Delete(p)
			// New keys before the scan, so that the view has to grow.
			o.Put(fmt.Appendf(nil, "a-%s-%d", p, i), []byte("new"))
		}
		lower = append(page[len(page)-1], 0)
	}
	if seen != n {
		t.Errorf("saw %d keys, want %d", seen, n)
	}
}

func TestOverlay_MisusePanics(t *testing.T) {
	for name, misuse := range map[string]func(o *overlay.Overlay){
		"Begin twice":            func(o *overlay.Overlay) { o.Begin(); o.Begin() },
		"Keep outside":           func(o *overlay.Overlay) { o.Keep() },
		"Undo outside":           func(o *overlay.Overlay) { o.Undo() },
		"Seal in a batch":        func(o *overlay.Overlay) { o.Begin(); o.Seal() },
		"Seal twice":             func(o *overlay.Overlay) { o.Seal(); o.Seal() },
		"Committed without Seal": func(o *overlay.Overlay) { o.Committed() },
		"Committed twice":        func(o *overlay.Overlay) { o.Seal(); o.Committed(); o.Committed() },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			misuse(overlay.New(nothing{}, 0))
		})
	}
}

func FuzzDelta_AllIsInOrder(f *testing.F) {
	f.Add([]byte("a\x00\x00b"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		o := overlay.New(nothing{}, 0)
		want := map[string]bool{}
		for i := range data {
			for j := i; j <= len(data) && j < i+40; j += 1 + int(step) {
				o.Put(data[i:j], nil)
				want[string(data[i:j])] = true
			}
		}
		d := o.Seal()
		var last []byte
		n := 0
		for k := range d.All() {
			if n > 0 && bytes.Compare(last, k) >= 0 {
				t.Fatalf("%q before %q", last, k)
			}
			if !want[string(k)] {
				t.Fatalf("%q was not put", k)
			}
			last = k
			n++
		}
		if n != len(want) {
			t.Fatalf("%d keys, want %d", n, len(want))
		}
	})
}
