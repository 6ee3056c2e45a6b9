package epoch

import (
	"context"
	"errors"
	"time"

	"github.com/wasmill/wasmill/state"
)

// Embedded is the decider of a job without Kafka: one synced batch of the
// store an epoch. A batch of which the store says that nothing was applied
// is tried again as it is: the outcome of an epoch is not a reason to
// compute it twice.
type Embedded struct {
	Store   state.Store
	Retries int           // after the first try, default 5
	Backoff time.Duration // before the first retry, doubled each time, default 50 ms
}

// Decide writes the deltas in key order with the number of the epoch.
func (d *Embedded) Decide(ctx context.Context, e *Epoch) error {
	wait := d.Backoff
	if wait == 0 {
		wait = 50 * time.Millisecond
	}
	left := d.Retries
	if left == 0 {
		left = 5
	}
	for {
		err := d.commit(e)
		if err == nil || errors.Is(err, state.ErrOutcomeUnknown) || left == 0 {
			return err
		}
		left--
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}

func (d *Embedded) commit(e *Epoch) error {
	b := d.Store.NewBatch()
	defer b.Close()
	rows := e.rows()
	rows = append(rows, Row{metaKey(metaEpoch), be.AppendUint64(nil, e.Number)})
	if e.Ended {
		rows = append(rows, Row{metaKey(metaFinished), []byte{1}})
	}
	for _, r := range rows {
		if err := put(b, r); err != nil {
			return err
		}
	}
	for _, delta := range e.Deltas {
		if delta.State == nil {
			continue
		}
		if err := delta.State.AppendTo(b); err != nil {
			return err
		}
	}
	return b.Commit(true)
}

func put(b state.Batch, r Row) error {
	if r.Value == nil {
		return b.Delete(r.Key)
	}
	return b.Set(r.Key, r.Value)
}

// MarkClean notes that everything decided is finalised, so that the next run
// has nothing to finish. It is the last write of a run that ended in order.
func MarkClean(s state.Store, number uint64) error {
	b := s.NewBatch()
	defer b.Close()
	if err := b.Set(metaKey(metaClean), be.AppendUint64(nil, number)); err != nil {
		return err
	}
	return b.Commit(true)
}
