package statetest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/state"
)

// Metamorphic runs random operations on the store of a disk and compares what
// it reads with maps. The same seed and ops run the same operations; a failure
// shows the last of them.
func Metamorphic(t testing.TB, disk Disk, seed uint64, ops int) {
	t.Helper()
	t.Logf("seed %d, %d operations", seed, ops)
	m := &model{TB: t, disk: disk, rng: rand.New(rand.NewPCG(seed, 0))}
	m.keys = 1 << (2 + m.rng.IntN(8))
	m.live = map[string]string{}
	m.open()
	for range ops {
		m.step()
	}
	m.closeViews()
	m.compare(m.store, m.live, nil, nil)
	m.ok(m.store.Close())
}

type model struct {
	testing.TB
	disk  Disk
	rng   *rand.Rand
	keys  int
	store state.Store
	live  map[string]string
	views []view
	trace []string
}

// view is an open snapshot and what it must hold.
type view struct {
	snap state.Snapshot
	want map[string]string
}

func (m *model) step() {
	switch p := m.rng.IntN(100); {
	case p < 40:
		m.commit()
	case p < 65:
		r, want := m.reader()
		key := m.key()
		m.log("get %q", key)
		v, ok, err := r.Get([]byte(key), nil)
		m.ok(err)
		if w, exists := want[key]; ok != exists || string(v) != w {
			m.fatalf("Get(%q) = %.40q, %v; want %.40q, %v", key, v, ok, w, exists)
		}
	case p < 80:
		r, want := m.reader()
		m.compare(r, want, m.bound(), m.bound())
	case p < 90 && len(m.views) < 4:
		m.log("snapshot")
		m.views = append(m.views, view{m.store.Snapshot(), maps.Clone(m.live)})
	case p < 98:
		if n := len(m.views); n > 0 {
			m.log("close snapshot")
			i := m.rng.IntN(n)
			m.ok(m.views[i].snap.Close())
			m.views = slices.Delete(m.views, i, i+1)
		}
	default:
		m.log("reopen")
		m.closeViews()
		m.ok(m.store.Close())
		m.open()
	}
}

func (m *model) commit() {
	b := m.store.NewBatch()
	next := maps.Clone(m.live)
	for range m.rng.IntN(12) {
		key := m.key()
		switch p := m.rng.IntN(20); {
		case p < 13:
			value := bytes.Repeat([]byte{byte(m.rng.Uint32())}, m.rng.IntN(300))
			m.log("set %q %d", key, len(value))
			m.ok(b.Set([]byte(key), value))
			next[key] = string(value)
		case p < 19:
			m.log("delete %q", key)
			m.ok(b.Delete([]byte(key)))
			delete(next, key)
		default:
			upper := m.key()
			m.log("delete range %q %q", key, upper)
			m.ok(b.DeleteRange([]byte(key), []byte(upper)))
			maps.DeleteFunc(next, func(k, _ string) bool { return k >= key && k < upper })
		}
	}
	if m.rng.IntN(5) > 0 {
		m.log("commit")
		m.ok(b.Commit(m.rng.IntN(4) == 0))
		m.live = next
	}
	m.ok(b.Close())
}

// compare walks over a range, with seeks in between.
func (m *model) compare(r state.Reader, want map[string]string, lower, upper []byte) {
	m.Helper()
	m.log("scan [%q, %q)", lower, upper)
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(k string) bool {
		return k < string(lower) || upper != nil && k >= string(upper)
	})
	it, err := r.Iterate(lower, upper)
	m.ok(err)
	for i := 0; ; i++ {
		var ok bool
		if m.rng.IntN(30) == 0 {
			key := m.key()
			m.log("seek %q", key)
			i, _ = slices.BinarySearch(keys, key)
			ok = it.SeekGE([]byte(key))
		} else {
			ok = it.Next()
		}
		if ok != (i < len(keys)) {
			m.fatalf("step %d of %d is %v", i, len(keys), ok)
		}
		if !ok {
			break
		}
		if string(it.Key()) != keys[i] || string(it.Value()) != want[keys[i]] {
			m.fatalf("step %d is %q = %.40q, want %q = %.40q", i, it.Key(), it.Value(), keys[i], want[keys[i]])
		}
	}
	m.ok(it.Err())
	m.ok(it.Close())
}

// reader returns the store or a snapshot and what it must hold.
func (m *model) reader() (state.Reader, map[string]string) {
	if i := m.rng.IntN(len(m.views) + 1); i < len(m.views) {
		return m.views[i].snap, m.views[i].want
	}
	return m.store, m.live
}

func (m *model) open() {
	m.Helper()
	s, err := m.disk()
	m.ok(err)
	m.store = s
}

func (m *model) closeViews() {
	m.Helper()
	for _, v := range m.views {
		m.ok(v.snap.Close())
	}
	m.views = nil
}

func (m *model) key() string { return fmt.Sprintf("%02x", m.rng.IntN(m.keys)) }

func (m *model) bound() []byte {
	if m.rng.IntN(3) == 0 {
		return nil
	}
	return []byte(m.key())
}

func (m *model) log(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

func (m *model) ok(err error) {
	m.Helper()
	if err != nil {
		m.fatalf("%v", err)
	}
}

func (m *model) fatalf(format string, args ...any) {
	m.Helper()
	for _, line := range m.trace[max(0, len(m.trace)-40):] {
		m.Log(line)
	}
	m.Fatalf(format, args...)
}
