package memstore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
)

func commit(s state.Store, key string, sync bool) error {
	b := s.NewBatch()
	if err := b.Set([]byte(key), []byte("v")); err != nil {
		return err
	}
	return b.Commit(sync)
}

func has(t *testing.T, r state.Reader, key string) bool {
	t.Helper()
	_, ok, err := r.Get([]byte(key), nil)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestDisk_CrashKeepsAPrefixFromTheLastSync(t *testing.T) {
	for keep := range 4 {
		d := new(memstore.Disk)
		s, err := d.Open(memstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if err := commit(s, fmt.Sprint(i), i == 2); err != nil {
				t.Fatal(err)
			}
		}
		d.Crash(func(n int) int {
			if n != 3 {
				t.Errorf("%d commits are not synced, want 3", n)
			}
			return keep
		})
		if _, _, err := s.Get([]byte("0"), nil); !errors.Is(err, state.ErrClosed) {
			t.Errorf("Get after a crash: %v", err)
		}
		if err := commit(s, "late", true); !errors.Is(err, state.ErrClosed) {
			t.Errorf("Commit after a crash: %v", err)
		}
		s, err = d.Open(memstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if got, want := has(t, s, fmt.Sprint(i)), i < 3+keep; got != want {
				t.Errorf("keep %d: commit %d is there: %v", keep, i, got)
			}
		}
		if has(t, s, "late") {
			t.Error("a commit after the crash is there")
		}
	}
}

func TestStore_HooksDecideTheOutcome(t *testing.T) {
	refused := errors.New("refused")
	unknown := fmt.Errorf("broken: %w", state.ErrOutcomeUnknown)
	for _, test := range []struct {
		name          string
		before, after error
		applied       bool
		broken        bool
	}{
		{name: "none", applied: true},
		{name: "refused", before: refused},
		{name: "unknown, not applied", before: unknown, broken: true},
		{name: "unknown, applied", after: unknown, applied: true, broken: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := new(memstore.Disk)
			opts := memstore.Options{
				BeforeCommit: func(bool) error { return test.before },
				AfterCommit:  func(bool) error { return test.after },
			}
			s, err := d.Open(opts)
			if err != nil {
				t.Fatal(err)
			}
			want := errors.Join(test.before, test.after)
			if err := commit(s, "a", true); (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
				t.Fatalf("Commit: %v, want %v", err, want)
			}
			_, _, err = s.Get([]byte("a"), nil)
			if errors.Is(err, state.ErrOutcomeUnknown) != test.broken {
				t.Errorf("Get afterwards: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if s, err = d.Open(memstore.Options{}); err != nil {
				t.Fatal(err)
			}
			if got := has(t, s, "a"); got != test.applied {
				t.Errorf("applied: %v, want %v", got, test.applied)
			}
		})
	}
}

// TestStore_ReadsWhileACommitIsHeld also holds a refused commit, which may be
// tried again.
func TestStore_ReadsWhileACommitIsHeld(t *testing.T) {
	held, release := make(chan struct{}), make(chan error)
	s := memstore.New(memstore.Options{BeforeCommit: func(bool) error {
		held <- struct{}{}
		return <-release
	}})
	b := s.NewBatch()
	if err := b.Set([]byte("a"), nil); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for _, outcome := range []error{errors.New("refused"), nil} {
		go func() { done <- b.Commit(false) }()
		<-held
		if has(t, s, "a") {
			t.Error("a held commit is visible")
		}
		release <- outcome
		if err := <-done; !errors.Is(err, outcome) {
			t.Errorf("Commit: %v, want %v", err, outcome)
		}
	}
	if !has(t, s, "a") {
		t.Error("the commit is not visible")
	}
}

func TestStore_ReadHookFailsReads(t *testing.T) {
	var fault error
	s := memstore.New(memstore.Options{BeforeRead: func() error { return fault }})
	if err := commit(s, "a", false); err != nil {
		t.Fatal(err)
	}
	it, err := s.Iterate(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	fault = errors.New("bad sector")
	if it.Next() || !errors.Is(it.Err(), fault) {
		t.Errorf("Next: %v", it.Err())
	}
	if _, _, err := s.Get([]byte("a"), nil); !errors.Is(err, fault) {
		t.Errorf("Get: %v", err)
	}
	if _, err := s.Iterate(nil, nil); !errors.Is(err, fault) {
		t.Errorf("Iterate: %v", err)
	}
}
