package container_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
	"github.com/wasmill/wasmill/state/memstore"
)

// job is a job of one source "in", native steps and sinks in memory. What it
// commits outlives its runs.
type job struct {
	spec     *jobspec.Spec
	splits   memSource
	modules  []guest.Module
	sinks    []*memSink
	disk     memstore.Disk
	store    memstore.Options
	hooks    container.Hooks
	batch    plugins.Limit
	unsealed int
	log      bytes.Buffer
}

// newJob makes a job that ends with the sinks out, of the last step, and dead.
func newJob(splits memSource, steps ...jobspec.Step) *job {
	last := steps[len(steps)-1].Name
	return &job{
		splits: splits, sinks: []*memSink{{}, {}},
		spec: &jobspec.Spec{
			Job: "j", CPUs: 1, Guarantee: jobspec.ExactlyOnce, Steps: steps,
			Sources: []jobspec.Source{{Name: "in", Tasks: 1}},
			Sinks:   []jobspec.Sink{{Name: "out", From: []jobspec.Ref{{Name: last}}}, {Name: "dead"}},
			OnError: jobspec.OnError{Record: jobspec.RecordPolicy{Action: jobspec.Fail}, Module: jobspec.ModuleRestart, Source: jobspec.SourceFail},
		},
	}
}

func (j *job) container(t *testing.T) *container.Container {
	t.Helper()
	p, err := plan.Make(j.spec)
	if err != nil {
		t.Fatal(err)
	}
	c := container.Config{
		Plan: p, Identity: map[string]string{"job": "j"}, Modules: j.modules, Sources: []plugins.Source{j.splits},
		Open:  func() (state.Store, error) { return j.disk.Open(j.store) },
		Log:   slog.New(slog.NewTextHandler(&j.log, nil)),
		Batch: j.batch, Hooks: j.hooks, Unsealed: j.unsealed,
	}
	for _, s := range j.sinks {
		c.Sinks = append(c.Sinks, s)
	}
	return container.New(c)
}

func (j *job) run(t *testing.T) (container.Outcome, error) {
	t.Helper()
	return j.container(t).Run(t.Context())
}

// memSource is splits by name in order, each a list of values; the key of a
// record is its first byte.
type memSource []memSplit

type memSplit struct {
	name   string
	values []string
}

func (s memSource) Close() error { return nil }

func (s memSource) Enumerate(_ context.Context, started bool, _ iter.Seq2[[]byte, []byte]) (plugins.Enumerator, error) {
	return &memEnumerator{s, started}, nil
}

type memEnumerator struct {
	s    memSource
	done bool
}

func (e *memEnumerator) Close() error { return nil }

func (e *memEnumerator) Next(context.Context) (*plugins.Discovery, error) {
	if e.done {
		return nil, io.EOF
	}
	e.done = true
	d := &plugins.Discovery{}
	for i, sp := range e.s {
		d.Splits = append(d.Splits, plugins.Split{ID: []byte(sp.name), Partition: record.Partition{Name: sp.name, Number: uint32(i)}})
	}
	return d, nil
}

func (s memSource) Open(_ context.Context, split plugins.Split, pos record.Position) (plugins.Reader, error) {
	for _, sp := range s {
		if sp.name == string(split.ID) {
			return &memReader{sp.values, int(pos)}, nil
		}
	}
	return nil, fmt.Errorf("no split %q", split.ID)
}

type memReader struct {
	values []string
	at     int
}

func (r *memReader) Close() error { return nil }

func (r *memReader) Read(_ context.Context, b *wire.Batch, limit plugins.Limit) (record.Position, error) {
	for ; b.Count < limit.Records && r.at < len(r.values); r.at++ {
		v := r.values[r.at]
		b.Add(&record.Record{Time: record.NoTime, Position: record.Position(r.at), Key: []byte(v[:1]), Value: []byte(v)})
	}
	if r.at == len(r.values) {
		return record.Position(r.at), io.EOF
	}
	return record.Position(r.at), nil
}

// memSink keeps what its writers finalised.
type memSink struct {
	mu  sync.Mutex
	got []string            // values
	in  []map[string]string // headers

	opened []string // what Open was told
}

func (s *memSink) Drop(context.Context) error { return nil }
func (s *memSink) Close() error               { return nil }

func (s *memSink) Open(_ context.Context, w plugins.Writer, token []byte, finalised bool) (plugins.SinkWriter, error) {
	s.opened = append(s.opened, fmt.Sprintf("writer %d, generation %d, token %v, finalised %v", w.Task, w.Generation, token != nil, finalised))
	return &memWriter{s: s}, nil
}

type memWriter struct {
	s       *memSink
	pending memSink
}

func (w *memWriter) Write(_ context.Context, b *wire.Batch) error {
	var rec record.Record
	for rest := b.Records; len(rest) > 0; {
		rest = wire.Next(rest, &rec)
		h := map[string]string{}
		for name, value := range rec.Headers.All() {
			h[string(name)] = string(value)
		}
		w.pending.got, w.pending.in = append(w.pending.got, string(rec.Value)), append(w.pending.in, h)
	}
	return nil
}

func (w *memWriter) Prepare(context.Context, bool) ([]byte, error) { return []byte{}, nil }

func (w *memWriter) Finalise(context.Context) error {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.got, w.s.in = append(w.s.got, w.pending.got...), append(w.s.in, w.pending.in...)
	w.pending.got, w.pending.in = nil, nil
	return nil
}

func (w *memWriter) Close() error { return nil }

// each is a guest that calls do with each record of a batch and emits what do
// returns, unless it is nil.
type each struct {
	calls guest.Calls
	do    func(c guest.Calls, i uint32, r *record.Record) (out []byte, err error)
}

// eachModule returns a module of such guests.
func eachModule(name string, do func(guest.Calls, uint32, *record.Record) ([]byte, error)) guest.Module {
	return guest.Native(name, func(_ guest.Init, c guest.Calls) (guest.NativeInstance, error) {
		return &each{calls: c, do: do}, nil
	})
}
