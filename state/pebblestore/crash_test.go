package pebblestore_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/pebblestore"
)

// writer makes random commits and remembers the state after each.
type writer struct {
	t      *testing.T
	rng    *rand.Rand
	store  state.Store
	states []map[string]string // states[i] is the state after i commits
	synced int                 // at least so many are on the disk
	dir    string
}

func newWriter(t *testing.T, rng *rand.Rand) *writer {
	return &writer{t: t, rng: rng, states: []map[string]string{{}}, dir: "db"}
}

// commit makes one commit. On ErrOutcomeUnknown the commit may be there or not.
func (w *writer) commit() error {
	w.t.Helper()
	next := maps.Clone(w.states[len(w.states)-1])
	b := w.store.NewBatch()
	defer b.Close()
	for range 1 + w.rng.IntN(8) {
		key := fmt.Sprintf("%02d", w.rng.IntN(40))
		var err error
		switch w.rng.IntN(8) {
		case 0:
			upper := fmt.Sprintf("%02d", w.rng.IntN(40))
			err = b.DeleteRange([]byte(key), []byte(upper))
			maps.DeleteFunc(next, func(k, _ string) bool { return k >= key && k < upper })
		case 1:
			err = b.Delete([]byte(key))
			delete(next, key)
		default:
			value := fmt.Append(nil, w.rng.Uint64(), string(make([]byte, w.rng.IntN(20<<10))))
			err = b.Set([]byte(key), value)
			next[key] = string(value)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	// The number of the commit makes every state different from all others.
	n := fmt.Sprint(len(w.states))
	if err := b.Set([]byte("n"), []byte(n)); err != nil {
		w.t.Fatal(err)
	}
	next["n"] = n
	sync := w.rng.IntN(4) == 0
	err := b.Commit(sync)
	if err == nil || errors.Is(err, state.ErrOutcomeUnknown) {
		w.states = append(w.states, next)
	}
	if err == nil && sync {
		w.synced = len(w.states) - 1
	}
	return err
}

// check reads the whole store: it must be in one of the states from the last
// synced one on. The states behind it are forgotten.
func (w *writer) check() {
	w.t.Helper()
	got := map[string]string{}
	it, err := w.store.Iterate(nil, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for it.Next() {
		got[string(it.Key())] = string(it.Value())
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		w.t.Fatal(err)
	}
	for i := len(w.states) - 1; i >= w.synced; i-- {
		if maps.Equal(got, w.states[i]) {
			w.states = w.states[:i+1]
			return
		}
	}
	w.t.Fatalf("the store has commit %q in part or too few: %d were made, %d synced", got["n"], len(w.states)-1, w.synced)
}

// TestStore_KeepsAPrefixAfterACrash takes a clone of the disk at a random
// moment, with a part of what was not synced, and goes on from there.
func TestStore_KeepsAPrefixAfterACrash(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed(t), 0))
	fs := vfs.NewCrashableMem()
	w := newWriter(t, rng)
	for range 40 {
		s, err := pebblestore.Open("db", small(fs))
		if err != nil {
			t.Fatal(err)
		}
		w.store = s
		w.check()
		for range rng.IntN(40) {
			if err := w.commit(); err != nil {
				t.Fatal(err)
			}
		}
		crashed := fs.CrashClone(vfs.CrashCloneCfg{
			UnsyncedDataPercent: rng.IntN(101),
			RNG:                 rand.New(rand.NewPCG(rng.Uint64(), 0)),
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fs = crashed
	}
}

// checkLeaks checks at the end of the test that the goroutines which it started
// have ended and that its files are closed.
func checkLeaks(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	t.Cleanup(func() {
		// A goroutine that Close has waited for may still be on its last step.
		for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			buf := make([]byte, 1<<20)
			t.Errorf("%d goroutines before, %d after:\n%s", goroutines, n, buf[:runtime.Stack(buf, true)])
		}
		if n := openFiles(t); n > files {
			t.Errorf("%d open files before, %d after", files, n)
		}
	})
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not Linux
	}
	return len(names)
}

// TestStore_FreesEverythingOnAFullDisk does so on real files.
func TestStore_FreesEverythingOnAFullDisk(t *testing.T) {
	checkLeaks(t)
	s0 := seed(t)
	for n := int64(20); n < 300; n += 29 {
		dir := t.TempDir()
		fs, _ := faultyFS(vfs.Default, n)
		w := newWriter(t, rand.New(rand.NewPCG(s0, 2)))
		w.dir = dir
		w.untilFull(fs, 120)
		s, err := pebblestore.Open(dir, small(nil))
		if err != nil {
			t.Fatalf("change %d: open again: %v", n, err)
		}
		w.store = s
		w.check()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// faultyFS fails the nth change of the disk and all later ones.
func faultyFS(fs vfs.FS, n int64) (vfs.FS, *atomic.Int64) {
	var count atomic.Int64
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && count.Add(1) >= n {
			return syscall.ENOSPC
		}
		return nil
	})), &count
}

// TestStore_StopsAtTheFirstFailedWrite fills the disk at each of its changes
// in turn, in Open, in commits, in flushes and compactions.
func TestStore_StopsAtTheFirstFailedWrite(t *testing.T) {
	checkLeaks(t)
	s0 := seed(t)
	step := int64(1)
	failures := 0
	for n := int64(1); ; n += step {
		if n > 60 {
			step = 11
		}
		mem := vfs.NewMem()
		fs, count := faultyFS(mem, n)
		w := newWriter(t, rand.New(rand.NewPCG(s0, 1)))
		failed := w.untilFull(fs, 120)
		if !failed && count.Load() < n {
			break // there are no n changes
		}
		if failed {
			failures++
		}
		s, err := pebblestore.Open("db", small(mem))
		if err != nil {
			t.Fatalf("change %d: open again: %v", n, err)
		}
		w.store = s
		// The process has not ended: nothing that was committed is lost.
		w.check()
		if err := w.commit(); err != nil {
			t.Fatalf("change %d: %v", n, err)
		}
		w.check()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d runs met a full disk", failures)
	if failures < 60 {
		t.Errorf("only %d runs met a full disk", failures)
	}
}

// untilFull commits until the disk is full and reports whether it was.
func (w *writer) untilFull(fs vfs.FS, commits int) bool {
	w.t.Helper()
	s, err := pebblestore.Open(w.dir, small(fs))
	if err != nil {
		if !errors.Is(err, syscall.ENOSPC) {
			w.t.Fatalf("Open: %v, want ENOSPC", err)
		}
		return true
	}
	w.store = s
	full := false
	for range commits {
		err := w.commit()
		if err == nil {
			continue
		}
		if !errors.Is(err, state.ErrOutcomeUnknown) || !errors.Is(err, syscall.ENOSPC) {
			w.t.Fatalf("Commit: %v, want ErrOutcomeUnknown and ENOSPC", err)
		}
		full = true
		break
	}
	if full {
		w.refuses()
	}
	if err := s.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		w.t.Fatalf("Close: %v", err)
	} else if err != nil {
		full = true
	}
	return full
}

// refuses checks that a store that has failed says so on every call.
func (w *writer) refuses() {
	w.t.Helper()
	want := func(err error) {
		w.t.Helper()
		if !errors.Is(err, state.ErrOutcomeUnknown) {
			w.t.Fatalf("a failed store returns %v", err)
		}
	}
	_, _, err := w.store.Get([]byte("n"), nil)
	want(err)
	_, err = w.store.Iterate(nil, nil)
	want(err)
	snap := w.store.Snapshot()
	_, _, err = snap.Get([]byte("n"), nil)
	want(err)
	if err := snap.Close(); err != nil {
		w.t.Fatal(err)
	}
	b := w.store.NewBatch()
	if err := b.Set([]byte("n"), nil); err != nil {
		w.t.Fatal(err)
	}
	want(b.Commit(true))
	if err := b.Close(); err != nil {
		w.t.Fatal(err)
	}
}
