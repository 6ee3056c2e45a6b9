package overlay_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
	"github.com/wasmill/wasmill/state/overlay"
)

var (
	seedFlag = flag.Uint64("seed", 0, "run TestOverlay_Metamorphic with this seed alone")
	opsFlag  = flag.Int("ops", 4000, "operations a seed")
)

// TestOverlay_Metamorphic compares random operations with maps.
func TestOverlay_Metamorphic(t *testing.T) {
	seeds := []uint64{*seedFlag}
	if *seedFlag == 0 {
		seeds = seeds[:0]
		for range 24 {
			seeds = append(seeds, rand.Uint64())
		}
	}
	for i, seed := range seeds {
		cacheBytes := []int{0, 1 << 10, 8 << 10, 1 << 20}[i%4]
		if *seedFlag != 0 {
			cacheBytes = 8 << 10
		}
		t.Run(fmt.Sprintf("cache=%d", cacheBytes), func(t *testing.T) {
			t.Logf("replay with -seed=%d", seed)
			newMachine(t, seed, cacheBytes).run(*opsFlag)
		})
	}
}

// machine runs an overlay and its model: what is committed, what a reader of
// the overlay sees, and what it saw when the batch began.
type machine struct {
	t      *testing.T
	rng    *rand.Rand
	cache  int
	store  *memstore.Store
	o      *overlay.Overlay
	delta  *overlay.Delta
	stored bool // delta is in the store

	committed, live, before map[string]string
	sealed                  map[string]string // live when delta was sealed
	keys                    int
	trace                   []string
}

func newMachine(t *testing.T, seed uint64, cache int) *machine {
	m := &machine{t: t, rng: rand.New(rand.NewPCG(seed, 1)), cache: cache, store: memstore.New(memstore.Options{})}
	m.keys = 1 << (2 + m.rng.IntN(9))
	m.committed = map[string]string{}
	m.rollback()
	return m
}

func (m *machine) rollback() {
	m.o = overlay.New(m.store, m.cache)
	if len(m.committed) == 0 && m.rng.IntN(4) > 0 {
		m.o.Empty()
	}
	m.live = maps.Clone(m.committed)
	m.before, m.delta, m.sealed, m.stored = nil, nil, nil, false
}

func (m *machine) run(ops int) {
	for range ops {
		switch p := m.rng.IntN(1000); {
		case p < 350:
			m.get()
		case p < 700:
			m.put()
		case p < 820:
			key := m.key()
			m.o.Delete([]byte(key))
			delete(m.live, key)
			m.log("delete %q", key)
		case p < 840:
			m.scan()
		case p < 940:
			m.batch()
		case p < 998:
			m.epoch()
		default:
			m.log("rollback")
			m.rollback()
		}
	}
	m.scan()
}

func (m *machine) log(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

func (m *machine) fatalf(format string, args ...any) {
	m.t.Helper()
	for _, line := range m.trace[max(0, len(m.trace)-60):] {
		m.t.Log(line)
	}
	m.t.Fatalf(format, args...)
}

func (m *machine) key() string {
	n := m.rng.IntN(m.keys)
	// Shared prefixes, lengths on both sides of eight bytes, keys that are
	// prefixes of others by zeros.
	return "store" + string(make([]byte, n%7)) + fmt.Sprint(n/7) + string(make([]byte, n%3))
}

func (m *machine) value() []byte {
	switch p := m.rng.IntN(100); {
	case p < 80:
		return m.fill(m.rng.IntN(40))
	case p < 99:
		return m.fill(m.rng.IntN(2000))
	default:
		return m.fill(m.rng.IntN(600 << 10))
	}
}

func (m *machine) fill(n int) []byte {
	return bytes.Repeat([]byte{byte(m.rng.Uint32())}, n)
}

func (m *machine) get() {
	key := m.key()
	m.log("get %q", key)
	value, ok, err := m.o.Get([]byte(key))
	want, exists := m.live[key]
	if err != nil || ok != exists || string(value) != want {
		m.fatalf("Get(%q) = %d bytes %.20q, %v, %v; want %d bytes %.20q, %v", key, len(value), value, ok, err, len(want), want, exists)
	}
	if ok && m.rng.IntN(2) == 0 {
		// A view may be an argument of the next call.
		m.log("put of view %q", key)
		to := m.key()
		m.live[to] = want
		m.o.Put([]byte(to), value)
	}
}

func (m *machine) put() {
	key, value := m.key(), m.value()
	m.log("put %q %d", key, len(value))
	m.o.Put([]byte(key), value)
	m.live[key] = string(value)
	clear(value) // it was copied
}

func (m *machine) batch() {
	switch {
	case m.before == nil:
		m.log("begin")
		m.o.Begin()
		m.before = maps.Clone(m.live)
	case m.rng.IntN(2) == 0:
		m.log("keep")
		m.o.Keep()
		m.before = nil
	default:
		m.log("undo")
		m.o.Undo()
		m.live, m.before = m.before, nil
	}
}

// epoch moves the epoch one step on: seal, write, committed.
func (m *machine) epoch() {
	switch {
	case m.delta == nil && m.before != nil:
	case m.delta == nil:
		m.log("seal")
		m.delta = m.o.Seal()
		m.sealed = maps.Clone(m.live)
	case !m.stored:
		m.log("write")
		m.checkOrder()
		b := m.store.NewBatch()
		if err := m.delta.AppendTo(b); err != nil {
			m.fatalf("AppendTo: %v", err)
		}
		if err := b.Commit(true); err != nil {
			m.fatalf("Commit: %v", err)
		}
		m.committed, m.stored = m.sealed, true
	default:
		m.log("committed")
		m.o.Committed()
		m.delta, m.stored = nil, false
	}
}

func (m *machine) checkOrder() {
	var last []byte
	n := 0
	for key := range m.delta.All() {
		if n > 0 && bytes.Compare(last, key) >= 0 {
			m.fatalf("All: %q before %q", last, key)
		}
		last = key
		n++
	}
	if n != m.delta.Len() {
		m.fatalf("All yields %d keys, Len is %d", n, m.delta.Len())
	}
}

func (m *machine) scan() {
	var lower, upper []byte
	if m.rng.IntN(3) > 0 {
		lower = []byte(m.key())
	}
	if m.rng.IntN(3) > 0 {
		upper = []byte(m.key())
	}
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(m.live)), func(k string) bool {
		return k < string(lower) || upper != nil && k >= string(upper)
	})
	m.log("scan [%q, %q)", lower, upper)
	s, err := m.o.Scan(lower, upper)
	if err != nil {
		m.fatalf("Scan: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			m.fatalf("Close: %v", err)
		}
	}()
	i := 0
	for s.Next() {
		if i == len(want) || string(s.Key()) != want[i] || string(s.Value()) != m.live[want[i]] {
			m.fatalf("scan step %d: %q = %.20q; want %q", i, s.Key(), s.Value(), want[min(i, len(want)-1):])
		}
		i++
		if m.rng.IntN(50) == 0 {
			key := m.key()
			if m.rng.IntN(20) == 0 {
				m.put()
				if s.Next() || !errors.Is(s.Err(), overlay.ErrStale) {
					m.fatalf("Next after a write: %v", s.Err())
				}
				return
			}
			i, _ = slices.BinarySearch(want, key)
			m.log("seek %q", key)
			if ok := s.SeekGE([]byte(key)); ok != (i < len(want)) {
				m.fatalf("SeekGE(%q) = %v", key, ok)
			} else if !ok {
				return
			}
			if string(s.Key()) != want[i] {
				m.fatalf("SeekGE(%q) on %q, want %q", key, s.Key(), want[i])
			}
			i++
		}
	}
	if s.Err() != nil || i != len(want) {
		m.fatalf("scan ended after %d of %d keys: %v", i, len(want), s.Err())
	}
}

var _ state.Iterator = (*overlay.Scan)(nil)
