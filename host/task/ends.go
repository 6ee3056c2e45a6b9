package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/epoch"
)

// ends leads the steps of a task through the end of its input: step by step
// in topological order, partition by partition, call by call. How far it has
// come is part of the checkpoint.
type ends struct {
	partitions []int // that the task owns
	begun      bool
	step       int // the one whose turn it is
	partition  int // index in partitions
	progress   epoch.End
	changed    []epoch.Row
}

// restore skips what the checkpoint says is done. A task whose end has begun
// reads nothing more: what is left of the input is another's.
func (e *ends) restore(t *Task) error {
	for {
		s, p, ok := e.at(t)
		if !ok {
			return nil
		}
		var err error
		if e.progress, err = t.Checkpoint.End(t.Stage, p, s.index); err != nil {
			return err
		}
		e.begun = e.begun || e.progress.Done || e.progress.Token != nil
		if !e.progress.Done {
			return nil
		}
		e.advance()
	}
}

// at returns the step and partition whose turn it is.
func (e *ends) at(t *Task) (*step, int, bool) {
	for e.step < len(t.steps) {
		if s := t.steps[e.step]; s.module != nil && e.partition < len(e.partitions) {
			return s, e.partitions[e.partition], true
		}
		e.step, e.partition = e.step+1, 0
	}
	return nil, 0, false
}

func (e *ends) advance() {
	e.partition++
	e.progress = epoch.End{}
}

// call makes the next call; more is false when there is none.
func (e *ends) call(ctx context.Context, t *Task) (more bool, err error) {
	s, p, ok := e.at(t)
	if !ok {
		return false, nil
	}
	if e.progress, err = s.end(ctx, p, e.progress); err != nil {
		return false, err
	}
	row := epoch.Row{Key: epoch.EndKey(t.Stage, p, s.index), Value: epoch.AppendEnd(nil, e.progress)}
	e.changed = append(e.changed, row)
	if e.progress.Done {
		e.advance()
	}
	return true, nil
}

// seal returns the rows that changed since the last one.
func (e *ends) seal() []epoch.Row {
	rows := e.changed
	e.changed = nil
	return rows
}

var errNoProgress = errors.New("end asked to be called again but emitted nothing, wrote nothing and passed no new token to resume")

// end makes one call of the step's end over a partition, with one more try
// on a fresh instance.
func (s *step) end(ctx context.Context, partition int, at epoch.End) (epoch.End, error) {
	for try := 0; ; try++ {
		next, err := s.endOnce(ctx, partition, at)
		switch {
		case err == nil:
			return next, s.emit(ctx)
		case overran(err):
			s.stats.Overruns.Add(1)
			s.patient(time.Now())
			try--
			continue
		case errors.Is(err, errNoProgress) || isTrap(err) && try > 0:
			return at, &ModuleFailure{Step: s.spec.Name, Module: s.module.Digest(), Err: fmt.Errorf("end of partition %d: %w", partition, err)}
		case !isTrap(err):
			return at, err
		}
		s.t.Log.Warn("end failed, trying again on a fresh instance", "step", s.spec.Name, "partition", partition, "error", err)
	}
}

func (s *step) endOnce(ctx context.Context, partition int, at epoch.End) (epoch.End, error) {
	in := newBatch(record.Partition{Name: s.t.stage.Name, Number: uint32(partition)})
	defer in.free()
	s.calls.begin(in)
	more := false
	_, err := s.call(ctx, func() (status abi.Errno, err error) {
		more, status, err = s.inst.End(ctx, at.Token)
		if err == nil && status == abi.OK && more && s.calls.emitted == 0 && s.calls.written == 0 && string(s.calls.token) == string(at.Token) {
			err = errNoProgress
		}
		return status, err
	})
	if err != nil {
		return at, err
	}
	if !more {
		return epoch.End{Done: true}, nil
	}
	return epoch.End{Token: append([]byte(nil), s.calls.token...)}, nil
}
