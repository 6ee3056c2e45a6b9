package walk

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/traversal"
)

// ahead is how many discoveries may wait for Next.
const ahead = 16

// enumerator runs a parallel walk behind Next. One goroutine runs
// traversal.Walk, which owns the others; Close or the end of the context of
// Enumerate stops it, and Close waits.
type enumerator struct {
	s      *Source
	t      traversal.FS
	counts traversal.Counts
	totals totals
	out    chan *plugins.Discovery // closed by the goroutine at the end
	err    error                   // why the walk ended; good once out is closed
	cancel context.CancelFunc
}

func newEnumerator(ctx context.Context, s *Source, t traversal.FS, started bool, rows iter.Seq2[[]byte, []byte]) (*enumerator, error) {
	e := &enumerator{s: s, t: t, out: make(chan *plugins.Discovery, ahead)}
	handled := map[string]int64{}
	items, err := waitingItems(rows, handled)
	if err != nil {
		return nil, err
	}
	if !started {
		// The root itself is the first discovery: what is dealt with was
		// waiting before, always.
		items = []traversal.Item{{Dir: traversal.Root}}
		e.out <- &plugins.Discovery{Waiting: []plugins.Item{{Key: []byte(traversal.Root), Value: new(waiting).append(nil)}}}
	}
	e.totals.handled = handled
	ctx, e.cancel = context.WithCancel(ctx)
	go e.run(ctx, items)
	return e, nil
}

// waitingItems reads the rows of the checkpoint. The walk takes the last one
// first, so that the order is kept; what a giant directory has handed on so
// far goes into handled.
func waitingItems(rows iter.Seq2[[]byte, []byte], handled map[string]int64) ([]traversal.Item, error) {
	var items []traversal.Item
	if rows == nil {
		return nil, nil
	}
	for key, value := range rows {
		w, err := parseWaiting(value)
		if err != nil {
			return nil, fmt.Errorf("%w: directory %q", err, key)
		}
		items = append(items, traversal.Item{Dir: string(key), After: w.after})
		if w.handled > 0 {
			handled[string(key)] = w.handled
		}
	}
	return items, nil
}

func (e *enumerator) run(ctx context.Context, items []traversal.Item) {
	defer close(e.out)
	e.err = traversal.Walk(ctx, e.t, items, traversal.Options{
		Workers: e.s.o.Workers,
		Page:    e.s.o.Page,
		Enter:   e.s.match.enter,
		Stat:    e.stat,
		Counts:  &e.counts,
	}, e.deliver)
	if e.err == nil {
		e.progress(true)
	}
}

// stat asks for what a record or split needs and nothing else.
func (e *enumerator) stat(dir, name string, kind traversal.Kind) bool {
	if kind != traversal.KindFile && e.s.o.Records != Entries {
		return false
	}
	return e.s.match.want(traversal.Join(dir, name))
}

func (e *enumerator) deliver(ctx context.Context, p *traversal.Page) error {
	d, err := e.discover(p)
	if err != nil {
		return err
	}
	select {
	case e.out <- d:
		e.progress(false)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Next implements plugins.Enumerator.
func (e *enumerator) Next(ctx context.Context) (*plugins.Discovery, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case d, ok := <-e.out:
		switch {
		case ok:
			return d, nil
		case e.err != nil:
			return nil, e.err
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close implements plugins.Enumerator.
func (e *enumerator) Close() error {
	e.cancel()
	for range e.out {
	}
	return nil
}
