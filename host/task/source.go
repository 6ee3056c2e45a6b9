package task

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// sourceInput reads splits, one at a time, for a task of a source's stage.
type sourceInput struct {
	t      *Task
	index  int // in the spec
	name   string
	source plugins.Source
	pool   *Pool
	limit  plugins.Limit
	feeds  []edge
	policy jobspec.RecordPolicy

	cur    *pooled // being read, nil between splits
	part   *Part
	reader plugins.Reader
	seen   int64 // bytes of the current split that count as read
	parked bool  // a split was left at its cut, so that the input does not end in this run

	finished []epoch.Row // of splits left since the last seal
}

// read reads one batch and sends it through the stage. It returns what the
// task should do next: go on, wait to be woken, or end.
func (s *sourceInput) read(ctx context.Context) (next turn, err error) {
	if s.cur == nil {
		s.t.yield() // a barrier may be asked for meanwhile, and a split be found behind it
		split, ok, ended := s.pool.take(s.t.epoch)
		switch {
		case ended && !s.parked:
			return end, nil
		case !ok:
			return wait, nil
		}
		s.cur, s.seen = &split, 0
		if done := int64(split.Next - split.Start); done > 0 {
			s.seen = min(done, split.Bytes) // by an earlier run
		}
		s.part = &Part{Source: s.index, Split: split.ID, Partition: split.Partition}
	}
	if s.cur.cut >= 0 && s.cur.Next >= s.cur.cut {
		return again, s.park()
	}
	if s.reader == nil {
		s.reader, err = s.source.Open(ctx, s.cur.Split.Split, s.cur.Next)
		if err != nil {
			return again, s.settle(err)
		}
	}
	b := newBatch(s.cur.Partition)
	pos, err := s.reader.Read(ctx, &b.Batch, s.limit)
	if s.cur.cut >= 0 && pos >= s.cur.cut {
		s.trim(b)
		pos, err = s.cur.cut, nil
	}
	if e := s.deliver(ctx, b, pos); e != nil {
		return again, e
	}
	if err != nil {
		return again, s.settle(err)
	}
	return again, nil
}

// deliver sends a batch through the stage; behind it the split stands at pos.
func (s *sourceInput) deliver(ctx context.Context, b *Batch, pos record.Position) error {
	s.t.counts.Records += int64(b.Count)
	s.t.Stats.Records.Add(int64(b.Count))
	s.progress(int64(pos - s.cur.Next))
	s.cur.Next = pos
	if b.Count == 0 {
		b.free()
		return nil
	}
	if s.t.Control.Read != nil {
		s.t.Control.Read(b.Count)
	}
	rest := b.Records
	for range b.Count {
		b.Origins = append(b.Origins, NewOrigin(s.part, positionOf(rest)))
		rest = rest[recordSize(rest):]
	}
	return s.t.route(ctx, b, s.feeds)
}

// progress counts n bytes more of the current split as read, but never more
// than it has: where a position is not a byte, the rest counts at its end.
func (s *sourceInput) progress(n int64) {
	n = min(n, s.cur.Bytes-s.seen)
	s.seen += n
	s.t.counts.Bytes += n
	s.t.Stats.Bytes.Add(n)
}

// trim removes the records of b from the cut on.
func (s *sourceInput) trim(b *Batch) {
	n, rest := 0, b.Records
	for n < b.Count && positionOf(rest) < s.cur.cut {
		rest = rest[recordSize(rest):]
		n++
	}
	b.Records, b.Count = b.Records[:len(b.Records)-len(rest)], n
}

// settle deals with what ended a Read or an Open.
func (s *sourceInput) settle(err error) error {
	var bad *plugins.RecordError
	var fault *plugins.Fault
	switch {
	case errors.Is(err, io.EOF):
		s.t.counts.Splits++
		s.t.Stats.Splits.Add(1)
		s.progress(s.cur.Bytes)
		return s.finish()
	case errors.As(err, &bad):
		rec := record.Record{Time: record.NoTime, Position: bad.Position, Value: bad.Value}
		if err := s.t.reject(&rec, NewOrigin(s.part, bad.Position), s.name, "", s.policy, Reason{Class: bad.Code, Text: bad.Err.Error()}); err != nil {
			return err
		}
		s.cur.Next = bad.Next
		return nil
	case errors.As(err, &fault):
		s.t.faults = append(s.t.faults, s.t.fault(s.index, fault))
		return s.finish()
	}
	return fmt.Errorf("source %s, partition %q, position %d: %w", s.name, s.cur.Partition.Name, s.cur.Next, err)
}

// finish closes the current split; its row goes.
func (s *sourceInput) finish() error {
	s.finished = append(s.finished, epoch.Row{Key: epoch.SplitKey(s.index, s.cur.ID)})
	s.cur = nil
	return s.close()
}

// park leaves the current split at its cut for the next run.
func (s *sourceInput) park() error {
	s.finished = append(s.finished, s.row())
	s.cur, s.parked = nil, true
	s.t.Control.AtCut()
	return s.close()
}

func (s *sourceInput) row() epoch.Row {
	return epoch.Row{Key: epoch.SplitKey(s.index, s.cur.ID), Value: epoch.AppendSplit(nil, &s.cur.Split)}
}

func (s *sourceInput) close() error {
	if s.reader == nil {
		return nil
	}
	err := s.reader.Close()
	s.reader = nil
	return err
}

// seal returns the rows that say how far reading has come.
func (s *sourceInput) seal() []epoch.Row {
	rows := s.finished
	s.finished = nil
	if s.cur != nil {
		rows = append(rows, s.row())
	}
	return rows
}
