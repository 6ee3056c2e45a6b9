package plugintest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/plugins"
)

// Place is where a sink writes to, in a form that can fail.
type Place interface {
	// Sink returns a sink that writes there. The at-th call of its that
	// changes something fails, and with it all later ones, as if the process
	// had ended there; 0 = none.
	Sink(at int) plugins.Sink
	// Calls returns how many such calls the last sink has made.
	Calls() int
	// Crash goes on as after the end of the process; power also loses what
	// was not made durable, as chosen by seed.
	Crash(power bool, seed uint64)
	// Values returns the values that a reader finds, in order.
	Values(t testing.TB) []string
	// Leftovers returns what is there beyond finished output.
	Leftovers() []string
}

// RunSink tests a sink whose delivery is TwoPhase. Values are JSON objects.
func RunSink(t *testing.T, newPlace func(t testing.TB) Place) {
	t.Run("exactly once through a crash at every step", func(t *testing.T) {
		for power := range 2 {
			sinkCrashes(t, newPlace, power == 1)
		}
	})
	t.Run("an epoch that is not decided leaves nothing", func(t *testing.T) { sinkAbort(t, newPlace) })
	t.Run("finalise twice is finalise once", func(t *testing.T) { sinkTwice(t, newPlace) })
	t.Run("empty epochs leave the token", func(t *testing.T) { sinkEmpty(t, newPlace) })
}

// Values of the test: epochs of some records each, one of them empty.
func epochValues(e int) []string {
	if e == 2 {
		return nil
	}
	var vs []string
	for i := range 3 {
		vs = append(vs, fmt.Sprintf(`{"epoch":%d,"i":%d,"p":"%c"}`, e, i, 'a'+(e+i)%2))
	}
	return vs
}

const sinkEpochs = 5

func batchOf(values []string) *wire.Batch {
	b := &wire.Batch{}
	for _, v := range values {
		b.Add(&record.Record{Time: record.NoTime, Value: []byte(v)})
	}
	return b
}

// run is a host in small: it commits tokens and remembers the epoch.
type run struct {
	place     Place
	epoch     int // the next one
	token     []byte
	finalised bool
	gen       uint64
}

// goOn runs the epochs that are left until a call fails.
func (r *run) goOn(ctx context.Context, at int) error {
	r.gen++
	sink := r.place.Sink(at)
	defer sink.Close()
	w, err := sink.Open(ctx, plugins.Writer{Job: "j", Sink: "s", Task: 3, Generation: r.gen}, r.token, r.finalised)
	if err != nil {
		return err
	}
	defer w.Close()
	r.finalised = true
	for ; r.epoch < sinkEpochs; r.epoch++ {
		if err := w.Write(ctx, batchOf(epochValues(r.epoch))); err != nil {
			return err
		}
		tok, err := w.Prepare(ctx, r.epoch == sinkEpochs-1)
		if err != nil {
			return err
		}
		r.token, r.finalised = slices.Clone(tok), false // decided
		if err := w.Finalise(ctx); err != nil {
			r.epoch++
			return err
		}
		r.finalised = true
	}
	return nil
}

func (r *run) check(t *testing.T, what string) {
	t.Helper()
	var want []string
	for e := range sinkEpochs {
		want = append(want, epochValues(e)...)
	}
	equalSets(t, what, r.place.Values(t), want)
	if left := r.place.Leftovers(); len(left) > 0 {
		t.Errorf("%s: left over: %q", what, left)
	}
}

func sinkCrashes(t *testing.T, newPlace func(t testing.TB) Place, power bool) {
	for at := 1; ; at++ {
		// A second crash comes in the recovery or later, at every fourth step:
		// the first crash decides with which one that begins.
		for again, step := 0, 1+at%4; ; again, step = again+step, 4 {
			r := &run{place: newPlace(t)}
			first := r.goOn(t.Context(), at)
			if first == nil {
				r.check(t, "without a crash")
				if at == 1 {
					t.Fatal("the sink made no call that could fail")
				}
				return
			}
			r.place.Crash(power, uint64(at*1000+again))
			second := r.goOn(t.Context(), again)
			if second != nil {
				r.place.Crash(power, uint64(at*1000+again+500))
				if err := r.goOn(t.Context(), 0); err != nil {
					t.Fatalf("crashes at calls %d and %d, power %t: %v", at, again, power, err)
				}
			}
			r.check(t, fmt.Sprintf("crashes at calls %d and %d, power %t", at, again, power))
			if second == nil && again > 0 {
				break
			}
		}
	}
}

func sinkAbort(t *testing.T, newPlace func(t testing.TB) Place) {
	r := &run{place: newPlace(t)}
	ctx := t.Context()
	for _, prepare := range []bool{false, true} {
		w, err := r.place.Sink(0).Open(ctx, plugins.Writer{Task: 3, Generation: r.gen}, r.token, true)
		if err != nil {
			t.Fatal(err)
		}
		r.gen++
		if err := w.Write(ctx, batchOf([]string{`{"aborted":true,"p":"b"}`})); err != nil {
			t.Fatal(err)
		}
		if prepare {
			if _, err := w.Prepare(ctx, true); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
	}
	if err := r.goOn(ctx, 0); err != nil {
		t.Fatal(err)
	}
	r.check(t, "after aborted epochs")
}

func sinkTwice(t *testing.T, newPlace func(t testing.TB) Place) {
	r := &run{place: newPlace(t)}
	ctx := t.Context()
	if err := r.goOn(ctx, 0); err != nil {
		t.Fatal(err)
	}
	for _, finalised := range []bool{false, true} {
		w, err := r.place.Sink(0).Open(ctx, plugins.Writer{Task: 3, Generation: r.gen + 1}, r.token, finalised)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := w.Finalise(ctx); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
	}
	r.check(t, "after repeated finalisation")
}

func sinkEmpty(t *testing.T, newPlace func(t testing.TB) Place) {
	place := newPlace(t)
	ctx := t.Context()
	w, err := place.Sink(0).Open(ctx, plugins.Writer{Task: 3}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	epoch := func(values []string, end bool) []byte {
		t.Helper()
		if err := w.Write(ctx, batchOf(values)); err != nil {
			t.Fatal(err)
		}
		tok, err := w.Prepare(ctx, end)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Finalise(ctx); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(tok)
	}
	if tok := epoch(nil, false); tok != nil || place.Calls() > 0 {
		t.Errorf("an empty epoch gave the token %x and made %d calls", tok, place.Calls())
	}
	first := epoch(epochValues(0), false)
	calls := place.Calls()
	if tok := epoch(nil, false); !slices.Equal(tok, first) || place.Calls() != calls {
		t.Errorf("an empty epoch changed the token from %x to %x and made %d calls", first, tok, place.Calls()-calls)
	}
}
