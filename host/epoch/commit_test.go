package epoch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
)

// story notes what is called, and fails where it is told to.
type story struct {
	lines []string
	fail  string
}

var errTold = errors.New("told to")

func (s *story) say(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	s.lines = append(s.lines, line)
	if line == s.fail {
		return errTold
	}
	return nil
}

func (s *story) Decide(_ context.Context, e *epoch.Epoch) error { return s.say("decide %d", e.Number) }

type storyWriter struct {
	s    *story
	name string
}

func (w *storyWriter) Write(_ context.Context, b *wire.Batch) error {
	return w.s.say("write %d to %s", b.Count, w.name)
}
func (w *storyWriter) Prepare(_ context.Context, end bool) ([]byte, error) {
	return []byte(w.name), w.s.say("prepare %s, end %v", w.name, end)
}
func (w *storyWriter) Finalise(context.Context) error { return w.s.say("finalise %s", w.name) }
func (w *storyWriter) Close() error                   { return nil }

func (s *story) commit() error {
	out := func(name string, end bool, counts ...int) epoch.Out {
		o := epoch.Out{Writer: &epoch.Writer{SinkWriter: &storyWriter{s, name}, Name: "sink " + name}, End: end}
		for _, n := range counts {
			o.Batches = append(o.Batches, &wire.Batch{Count: n})
		}
		return o
	}
	c := epoch.Committer{
		Decider: s,
		At:      func(p epoch.Point) error { return s.say("- %s", p) },
		Decided: func(e *epoch.Epoch) { _ = s.say("decided %d", e.Number) },
	}
	return c.Commit(context.Background(), &epoch.Epoch{Number: 7, Deltas: []*epoch.Delta{
		{Task: 0, Out: []epoch.Out{out("a", false, 1, 2)}}, {Task: 1}, {Task: 2, Out: []epoch.Out{out("b", true)}},
	}})
}

var inOrder = []string{
	"- before write", "write 1 to a", "write 2 to a", "- before write",
	"- before prepare", "prepare a, end false", "- before prepare", "prepare b, end true",
	"- before decide", "decide 7", "decided 7", "- after decide",
	"- before finalise", "finalise a", "- before finalise", "finalise b", "- after finalise",
}

func TestCommit_Order(t *testing.T) {
	s := &story{}
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.lines, inOrder) {
		t.Errorf("the commit went\n%s\nwant\n%s", strings.Join(s.lines, "\n"), strings.Join(inOrder, "\n"))
	}
}

// TestCommit_EndsAtAFault fails each line of the commit that can fail: nothing
// comes after it, and only what is behind the decision is ErrFinalise.
func TestCommit_EndsAtAFault(t *testing.T) {
	for i, line := range inOrder {
		if slices.Index(inOrder, line) != i || strings.HasPrefix(line, "decided") {
			continue
		}
		s := &story{fail: line}
		err := s.commit()
		if !errors.Is(err, errTold) {
			t.Errorf("%s: %v", line, err)
		}
		if !slices.Equal(s.lines, inOrder[:i+1]) {
			t.Errorf("%s fails, and then comes %s", line, s.lines[i+1:])
		}
		if errors.Is(err, epoch.ErrFinalise) != strings.HasPrefix(line, "finalise") {
			t.Errorf("%s: is ErrFinalise: %v", line, err)
		}
	}
}

func TestEmbedded_Retries(t *testing.T) {
	unknown := fmt.Errorf("disk: %w", state.ErrOutcomeUnknown)
	for _, c := range []struct {
		name    string
		fails   int // tries that fail
		err     error
		tries   int
		took    time.Duration
		applied bool
	}{
		{"not at all", 0, nil, 1, 0, true},
		{"a store that recovers", 3, errTold, 4, 350 * time.Millisecond, true},
		{"a store that does not", 99, errTold, 6, 1550 * time.Millisecond, false},
		{"an unknown outcome", 1, unknown, 1, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				store := memstore.New(memstore.Options{BeforeCommit: func(sync bool) error {
					if !sync {
						t.Error("the commit is not synced")
					}
					if tries++; tries <= c.fails {
						return c.err
					}
					return nil
				}})
				defer store.Close()
				began := time.Now()
				row := epoch.Row{Key: []byte{0x30}, Value: []byte("new")}
				err := (&epoch.Embedded{Store: store}).Decide(t.Context(), &epoch.Epoch{Number: 3, Deltas: []*epoch.Delta{{Rows: []epoch.Row{row}}}})
				if (err == nil) != c.applied || err != nil && !errors.Is(err, c.err) {
					t.Errorf("decided: %v", err)
				}
				if took := time.Since(began); tries != c.tries || took != c.took {
					t.Errorf("%d tries in %v, want %d in %v", tries, took, c.tries, c.took)
				}
				if c.applied {
					n, err := epoch.Checkpoint{Store: store}.Epoch()
					v, _, errGet := store.Get(row.Key, nil)
					if n != 3 || string(v) != "new" || err != nil || errGet != nil {
						t.Errorf("the store has epoch %d, %q (%v, %v)", n, v, err, errGet)
					}
				}
			})
		})
	}
}

// TestEmbedded_LaterRowsCount decides rows of one key in several deltas.
func TestEmbedded_LaterRowsCount(t *testing.T) {
	store := memstore.New(memstore.Options{})
	defer store.Close()
	rows := func(kv ...string) *epoch.Delta {
		d := &epoch.Delta{}
		for i := 0; i < len(kv); i += 2 {
			r := epoch.Row{Key: []byte(kv[i])}
			if kv[i+1] != "" {
				r.Value = []byte(kv[i+1])
			}
			d.Rows = append(d.Rows, r)
		}
		return d
	}
	d := epoch.Embedded{Store: store}
	for n, deltas := range [][]*epoch.Delta{
		{rows("0a", "old", "0b", "old", "0c", "old")},
		{rows("0b", "1", "0a", "1", "0b", "2"), rows("0c", "", "0b", "3"), rows("0a", "")},
	} {
		if err := d.Decide(t.Context(), &epoch.Epoch{Number: uint64(n + 1), Deltas: deltas}); err != nil {
			t.Fatal(err)
		}
	}
	for key, want := range map[string]string{"0a": "", "0b": "3", "0c": ""} {
		if v, ok, err := store.Get([]byte(key), nil); string(v) != want || ok != (want != "") || err != nil {
			t.Errorf("%s is %q, %v, %v; want %q", key, v, ok, err, want)
		}
	}
}
