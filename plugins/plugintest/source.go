// Package plugintest holds the conformance kits of connectors: what every
// source and sink must do, run against one of them.
package plugintest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// Source describes a bounded source to the kit.
type Source struct {
	// Open returns a new source over the same data, which are small and do
	// not change.
	Open func(t testing.TB) plugins.Source
	// Want are the values of all records, in any order.
	Want []string
}

// RunSource tests a source: every record once, whatever the limits, the
// restarts of its readers and the restarts of its enumeration.
func RunSource(t *testing.T, k Source) {
	t.Run("every record once", func(t *testing.T) { k.all(t) })
	t.Run("readers restart at every position", func(t *testing.T) { k.readers(t) })
	t.Run("enumeration restarts at every discovery", func(t *testing.T) { k.enumeration(t) })
	t.Run("a context that ends stops everything", func(t *testing.T) { k.cancel(t) })
}

// Rows are the waiting items and splits that a checkpoint would hold.
type Rows struct {
	Started bool
	Waiting map[string][]byte
	Splits  map[string]plugins.Split
	Faults  []*plugins.Fault
	Twice   []string // split IDs that came more than once
}

// NewRows returns the rows of a run that has not begun.
func NewRows() *Rows {
	return &Rows{Waiting: map[string][]byte{}, Splits: map[string]plugins.Split{}}
}

// Apply takes a discovery in.
func (r *Rows) Apply(d *plugins.Discovery) {
	r.Started = true
	for _, k := range d.Done {
		delete(r.Waiting, string(k))
	}
	for _, i := range d.Waiting {
		r.Waiting[string(i.Key)] = i.Value
	}
	for _, s := range d.Splits {
		if _, ok := r.Splits[string(s.ID)]; ok {
			r.Twice = append(r.Twice, string(s.ID))
		}
		r.Splits[string(s.ID)] = s
	}
	r.Faults = append(r.Faults, d.Faults...)
}

// All yields the waiting items in the order of their keys.
func (r *Rows) All() func(yield func([]byte, []byte) bool) {
	items := maps.Clone(r.Waiting)
	return func(yield func([]byte, []byte) bool) {
		for _, k := range slices.Sorted(maps.Keys(items)) {
			if !yield([]byte(k), items[k]) {
				return
			}
		}
	}
}

// Discover goes on with the enumeration of src until it ends or limit
// discoveries were made (limit < 0: no limit), and returns how many.
func Discover(ctx context.Context, src plugins.Source, rows *Rows, limit int) (n int, err error) {
	e, err := src.Enumerate(ctx, rows.Started, rows.All())
	if err != nil {
		return 0, err
	}
	defer e.Close()
	for n != limit {
		d, err := e.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		rows.Apply(d)
		n++
	}
	return n, nil
}

// Result is what came out of a split.
type Result struct {
	Values    []string
	Keys      []string
	Positions []record.Position
	Next      []record.Position // after each read
	Errors    []*plugins.RecordError
	Fault     *plugins.Fault
}

// DefaultLimit is that of the contract.
var DefaultLimit = plugins.Limit{Records: 1024, Bytes: 256 << 10, Record: 1 << 20}

// ReadSplit reads s from pos to its end.
func ReadSplit(ctx context.Context, src plugins.Source, s plugins.Split, pos record.Position, limit plugins.Limit) (Result, error) {
	var res Result
	r, err := src.Open(ctx, s, pos)
	if errors.As(err, &res.Fault) {
		return res, nil
	}
	if err != nil {
		return res, err
	}
	defer r.Close()
	b := wire.Batch{Partition: s.Partition}
	for {
		b.Reset()
		next, err := r.Read(ctx, &b, limit)
		res.Next = append(res.Next, next)
		if e := wire.Check(b, 0); e != nil {
			return res, e
		}
		res.add(&b)
		var bad *plugins.RecordError
		switch {
		case err == nil:
			if b.Count == 0 {
				return res, fmt.Errorf("split %q: a read without records, end or error at %d", s.ID, next)
			}
		case errors.Is(err, io.EOF):
			return res, nil
		case errors.As(err, &bad):
			if b.Count > 0 {
				return res, fmt.Errorf("split %q: records came with a record error", s.ID)
			}
			if bad.Next != next {
				return res, fmt.Errorf("split %q: a record error goes on at %d, its read at %d", s.ID, bad.Next, next)
			}
			res.Errors = append(res.Errors, bad)
		case errors.As(err, &res.Fault):
			return res, nil
		default:
			return res, err
		}
	}
}

func (r *Result) add(b *wire.Batch) {
	var rec record.Record
	recs := b.Records
	for range b.Count {
		recs = wire.Next(recs, &rec)
		r.Values = append(r.Values, string(rec.Value))
		r.Keys = append(r.Keys, string(rec.Key))
		r.Positions = append(r.Positions, rec.Position)
	}
}

// ReadAll discovers and reads everything.
func ReadAll(t testing.TB, src plugins.Source) (values []string, rows *Rows) {
	t.Helper()
	rows = NewRows()
	if _, err := Discover(t.Context(), src, rows, -1); err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(rows.Splits)) {
		res, err := ReadSplit(t.Context(), src, rows.Splits[id], rows.Splits[id].Start, DefaultLimit)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, res.Values...)
	}
	return values, rows
}

func (k Source) all(t *testing.T) {
	src := k.open(t)
	got, rows := ReadAll(t, src)
	equalSets(t, "values", got, k.Want)
	if len(rows.Twice) > 0 {
		t.Errorf("splits that came twice: %q", rows.Twice)
	}
	if len(rows.Waiting) > 0 {
		t.Errorf("after the end %d items still wait", len(rows.Waiting))
	}
	if n, err := Discover(t.Context(), src, rows, -1); n > 0 || err != nil {
		t.Errorf("a finished enumeration, started again, gave %d discoveries, %v", n, err)
	}
}

func (k Source) readers(t *testing.T) {
	src := k.open(t)
	_, rows := ReadAll(t, src)
	for _, s := range rows.Splits {
		whole, err := ReadSplit(t.Context(), src, s, s.Start, DefaultLimit)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(whole.Positions) || len(slices.Compact(slices.Clone(whole.Positions))) != len(whole.Positions) {
			t.Errorf("split %q: positions do not ascend: %d", s.ID, whole.Positions)
		}
		one, err := ReadSplit(t.Context(), src, s, s.Start, plugins.Limit{Records: 1, Bytes: 1, Record: DefaultLimit.Record})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.Values, whole.Values) {
			t.Errorf("split %q: one at a time %q, at once %q", s.ID, one.Values, whole.Values)
		}
		done := 0
		for _, next := range one.Next {
			for done < len(one.Positions) && one.Positions[done] < next {
				done++
			}
			rest, err := ReadSplit(t.Context(), src, s, next, DefaultLimit)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(rest.Values, one.Values[done:]) {
				t.Errorf("split %q from %d: %q, want %q", s.ID, next, rest.Values, one.Values[done:])
			}
		}
	}
}

func (k Source) enumeration(t *testing.T) {
	src := k.open(t)
	_, want := ReadAll(t, src)
	for stop := 0; ; stop++ {
		rows := NewRows()
		n, err := Discover(t.Context(), src, rows, stop)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Discover(t.Context(), k.open(t), rows, -1); err != nil {
			t.Fatal(err)
		}
		equalSets(t, fmt.Sprintf("splits after a restart at discovery %d", stop),
			slices.Collect(maps.Keys(rows.Splits)), slices.Collect(maps.Keys(want.Splits)))
		if len(rows.Twice) > 0 {
			t.Errorf("restart at discovery %d: splits that came twice: %q", stop, rows.Twice)
		}
		if n < stop {
			return
		}
	}
}

func (k Source) cancel(t *testing.T) {
	NoLeak(t)
	src := k.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	e, err := src.Enumerate(ctx, false, NewRows().All())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := e.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next says %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func (k Source) open(t testing.TB) plugins.Source {
	src := k.Open(t)
	t.Cleanup(func() { src.Close() })
	return src
}

func equalSets(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if slices.Equal(got, want) {
		return
	}
	counts := map[string]int{}
	for _, s := range got {
		counts[s]++
	}
	for _, s := range want {
		counts[s]--
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	t.Errorf("%s: got %d, want %d; surplus (or lack, below 0): %v", what, len(got), len(want), counts)
}
