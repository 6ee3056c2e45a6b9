package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins"
)

// Enumerator is the task that finds a source's splits. What it finds in one
// step is in one delta: an item dealt with, the items and splits it turned
// into. Readers may take a split at once, in an epoch not before its own.
type Enumerator struct {
	Base
	Index  int // of the source in the spec
	Source plugins.Source
	Pool   *Pool

	rows  []epoch.Row
	begun bool // the source's first discovery is in a delta
	ended bool
	slot  chan found // from the goroutine that asks the source
}

type found struct {
	d   *plugins.Discovery
	err error
}

// Run finds splits until the source has no more, or ctx ends.
func (e *Enumerator) Run(ctx context.Context) (err error) {
	e.yield()
	if e.ended, err = e.load(); err != nil {
		return err
	}
	if e.ended {
		e.Pool.close(0)
		return nil
	}
	if e.begun, err = e.Checkpoint.Started(e.Index); err != nil {
		return err
	}
	var scanErr error
	source, err := e.Source.Enumerate(ctx, e.begun, e.Checkpoint.Waiting(e.Index, &scanErr))
	if err = errors.Join(err, scanErr); err != nil {
		return fmt.Errorf("source %s: %w", e.name(), err)
	}
	ask, stopAsking := context.WithCancel(ctx)
	e.slot = make(chan found, 1)
	var wg sync.WaitGroup
	wg.Go(func() { e.ask(ask, source) })
	defer func() {
		stopAsking()
		wg.Wait()
		err = errors.Join(err, source.Close())
	}()
	return e.loop(ctx)
}

func (e *Enumerator) name() string { return e.Plan.Spec.Sources[e.Index].Name }

// ask calls the source, at most two discoveries ahead of the task.
func (e *Enumerator) ask(ctx context.Context, source plugins.Enumerator) {
	for {
		d, err := source.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		select {
		case e.slot <- found{d, err}:
			e.Waker.Wake()
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (e *Enumerator) loop(ctx context.Context) error {
	for {
		e.yield()
		if e.requested() {
			e.seal()
			if e.ended {
				return nil
			}
		}
		if !e.ended && !e.Control.Stopping.Load() && !e.Pool.full() {
			select {
			case f := <-e.slot:
				if err := e.take(f); err != nil {
					return err
				}
				continue
			default:
			}
		}
		if err := e.Waker.Wait(ctx); err != nil {
			return err
		}
	}
}

// take puts one discovery into the delta and its splits into the pool.
func (e *Enumerator) take(f found) error {
	switch {
	case errors.Is(f.err, io.EOF):
		e.ended = true
		e.Pool.close(e.epoch)
		e.Control.Ended()
		return nil
	case f.err != nil:
		return fmt.Errorf("source %s: %w", e.name(), f.err)
	}
	d := f.d
	if !e.begun {
		e.begun = true
		e.rows = append(e.rows, epoch.Row{Key: epoch.StartedKey(e.Index), Value: []byte{1}})
	}
	for _, k := range d.Done {
		e.rows = append(e.rows, epoch.Row{Key: epoch.WaitingKey(e.Index, k)})
	}
	for _, i := range d.Waiting {
		e.rows = append(e.rows, epoch.Row{Key: epoch.WaitingKey(e.Index, i.Key), Value: append([]byte{}, i.Value...)})
	}
	for _, fault := range d.Faults {
		e.rows = append(e.rows, e.fault(e.Index, fault))
	}
	for _, s := range d.Splits {
		split := epoch.Split{Split: s, Next: s.Start}
		e.rows = append(e.rows, epoch.Row{Key: epoch.SplitKey(e.Index, s.ID), Value: epoch.AppendSplit(nil, &split)})
		e.Pool.add(split, e.epoch)
	}
	return nil
}

func (e *Enumerator) seal() {
	d := &epoch.Delta{Task: e.Number, Rows: append(e.rows, e.countRow()...), Ended: e.ended}
	e.rows = nil
	if e.ended {
		d.Rows = append(d.Rows, epoch.Row{Key: epoch.EndedKey(e.Number), Value: []byte{1}})
	}
	e.sealed(d)
}
