package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
)

// A module is at fault, whatever the record, when its instances do not start,
// when batches fail whole and pass in parts, and when record after record traps
// and no call comes to its end. No single case tells: some are allowed, and
// each one more is a fault, behind which the step waits. A row of faults ends
// with progress, and what that is depends on the fault: a call that ended says
// that instances start, but nothing about batches that pass in parts.
const (
	maxFaults   = 10 // in a row
	faultWait   = 100 * time.Millisecond
	faultWaitTo = 30 * time.Second

	maxUnsteady = 3    // batches a minute that fail whole and pass in parts
	maxTrapped  = 1000 // records in a row that trap while no call ends; so long may bad input be
)

// crashes is what a step knows of the faults of its module.
type crashes struct {
	starts  int         // faults in a row: instances that did not start; none since a call ended
	batches int         // faults in a row: batches
	flaky   []time.Time // when batches failed whole and passed in parts, of the last minute
	trapped int         // records that trapped, alone, since a call ended
	last    error       // that of trapped

	// In the batch under way:
	someEnded, someTrapped bool // calls; records, alone
}

// ended notes that a call came to its end, with whatever result.
func (c *crashes) ended() { c.starts, c.trapped, c.last, c.someEnded = 0, 0, nil, true }

// isolated notes that a record failed alone. A guest that refuses it by its
// status has come to its end.
func (c *crashes) isolated(err error) {
	if trapKind(err) != guest.TrapStatus {
		c.trapped++
		c.last, c.someTrapped = err, true
	}
}

// settle draws the conclusion from a batch that is dealt with; unsteady says
// that it failed whole and passed in parts.
func (s *step) settle(ctx context.Context, unsteady bool) error {
	c := &s.crashes
	ended, trapped := c.someEnded, c.someTrapped
	c.someEnded, c.someTrapped = false, false
	switch {
	case unsteady:
		now := time.Now()
		c.flaky = slices.DeleteFunc(append(c.flaky, now), func(t time.Time) bool { return now.Sub(t) > time.Minute })
		if len(c.flaky) > maxUnsteady {
			return s.moduleFault(ctx, &c.batches, errors.New("batches fail whole and pass in parts"))
		}
	case ended:
		c.batches = 0
	case trapped && c.trapped > maxTrapped:
		return s.moduleFault(ctx, &c.batches, fmt.Errorf("%d records in a row trapped, the last one: %w", c.trapped, c.last))
	}
	return nil
}

// moduleFault answers a fault of the module itself: the job fails, or the
// step waits, longer each time, until it has been ten times in a row.
func (s *step) moduleFault(ctx context.Context, inARow *int, err error) error {
	*inARow++
	if s.t.Plan.Spec.OnError.Module == jobspec.ModuleFail || *inARow >= maxFaults {
		return &ModuleFailure{Step: s.spec.Name, Module: s.module.Digest(), InARow: *inARow, Err: err}
	}
	wait := min(faultWait<<(*inARow-1), faultWaitTo)
	s.t.Log.Warn("module fault, trying again", "step", s.spec.Name, "in", wait, "error", err)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
