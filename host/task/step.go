package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wasmill/wasmill/abi"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
)

// StepStats is what one step of one task has done in this run. It is read
// from other goroutines.
type StepStats struct {
	Batches, Records, Out atomic.Int64
	Failed                Tally        // records that the policy got, by Reason.Class
	Traps                 Tally        // ends of instances, and of their starts after the first, by guest.TrapKind
	Overruns              atomic.Int64 // calls that were made again because they took longer than a quantum
	Recycled              atomic.Int64 // instances replaced because their memory was nearly full
	Nanos                 atomic.Int64 // of CPU time spent in guests and in the calls that they make
	Memory                atomic.Int64 // of the instance, in bytes
	metrics               *metrics
}

// Metrics returns the counters and gauges that the step's guest defined.
func (s *StepStats) Metrics() map[string]int64 { return s.metrics.snapshot() }

// step runs one step in one task: a batch in, a transaction over its
// effects, batches out.
type step struct {
	t      *Task
	index  int // in the stage
	spec   *jobspec.Step
	module guest.Module // nil: records are handed on
	init   guest.Init
	policy jobspec.RecordPolicy
	stores []uint16
	edges  [][]edge // by output

	inst    guest.Instance
	calls   *calls
	metrics metrics
	stats   StepStats

	again   []*Batch // parts of the batch still to be run, last first
	served  bool     // a call of the instance has taken effect
	full    bool     // the last call ended an instance that had served: its memory was full
	crashes crashes
	pace    pace
	fresh   uint64      // bytes of memory that the instance began with
	slow    []time.Time // when records overran the quantum, of the last minute
	calm    time.Time   // until then instances stay patient, if they are
}

// run puts b through the step in pieces of the job's batch size, or smaller
// ones if those take too long.
func (s *step) run(ctx context.Context, b *Batch) error {
	for p := range b.pieces(s.pace.records, s.t.BatchLimit.Bytes) {
		if err := s.transact(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// transact runs a batch until each of its records has either taken effect
// once or been isolated and given to the policy. Effects are kept for a whole
// call or not at all.
func (s *step) transact(ctx context.Context, b *Batch) error {
	s.stats.Records.Add(int64(b.Count))
	whole, isolated := true, 0
	s.again = append(s.again[:0], b)
	for len(s.again) > 0 {
		v := s.again[len(s.again)-1]
		s.again = s.again[:len(s.again)-1]
		rejected, err := s.attempt(ctx, v)
		switch {
		case err != nil && !isTrap(err):
			return err
		case overran(err):
			s.overrun(v)
		case err != nil && s.full: // whatever filled it, it need not be this batch
			s.again = append(s.again, v)
		case err != nil && v.Count > 1:
			whole = whole && trapKind(err) == guest.TrapTimeout // slow is not unsteady
			s.halve(v)
		case err != nil:
			isolated++
			s.crashes.isolated(err)
			if err := s.reject(v, 0, trapFailure(err)); err != nil {
				return err
			}
		case len(rejected) > 0:
			isolated++
			slices.SortFunc(rejected, func(a, b failure) int { return int(int64(a.index) - int64(b.index)) })
			indices := make([]uint32, len(rejected))
			for i, f := range rejected {
				indices[i] = f.index
				if err := s.reject(v, int(f.index), guestFailure(f)); err != nil {
					return err
				}
			}
			if rest := v.without(indices); rest.Count > 0 {
				rest.said = true
				s.again = append(s.again, rest)
			}
		default:
			if err := s.emit(ctx); err != nil {
				return err
			}
		}
	}
	return s.settle(ctx, !whole && isolated == 0)
}

// halve arranges for the halves of a batch to be run.
func (s *step) halve(v *Batch) {
	half := v.Count / 2
	s.again = append(s.again, v.slice(half, v.Count), v.slice(0, half))
}

// attempt makes one call with v. It returns the records that the guest
// rejected, or a *guest.Trap after which the instance is gone (but if the
// guest refused the batch by its status); in both cases nothing of the call
// is left. Without either, its effects are in the overlay
// and in calls.outs.
func (s *step) attempt(ctx context.Context, v *Batch) ([]failure, error) {
	s.calls.begin(v)
	if s.prefail(v) {
		s.calls.drop()
		return s.calls.failed, nil
	}
	return s.call(ctx, func() (abi.Errno, error) { return s.inst.Batch(ctx, &v.Batch) })
}

// prefail rejects the records without a key if the step has stores.
func (s *step) prefail(v *Batch) bool {
	if len(s.stores) == 0 {
		return false
	}
	for i, r := range v.each() {
		if isKeyless(r) {
			s.calls.failed = append(s.calls.failed, failure{index: uint32(i), keyless: true, message: "a record without a key came to a step with stores"})
		}
	}
	return len(s.calls.failed) > 0
}

// call makes one call into the guest as a transaction over the overlay.
func (s *step) call(ctx context.Context, do func() (abi.Errno, error)) ([]failure, error) {
	if err := s.ready(ctx); err != nil {
		s.calls.drop()
		return nil, err
	}
	s.t.State.Begin()
	inst := s.inst
	before := inst.Used()
	s.calls.hold()
	defer s.calls.release()
	status, err := do()
	used := inst.Used() - before
	s.stats.Nanos.Add(int64(used))
	s.stats.Batches.Add(1)
	switch {
	case s.t.broken != nil:
		err = fmt.Errorf("step %s: store: %w", s.spec.Name, s.t.broken)
	case s.calls.fault != "" && (err == nil || isTrap(err) && trapKind(err) == guest.TrapABI):
		err = &guest.Trap{Kind: guest.TrapABI, Module: s.module.Digest(), Message: s.calls.fault}
	case err == nil && status != abi.OK:
		err = &guest.Trap{Kind: guest.TrapStatus, Module: s.module.Digest(), Message: "the guest refused " + s.calls.payload() + " with " + status.String()}
	}
	if err == nil || isTrap(err) && trapKind(err) == guest.TrapStatus {
		s.crashes.ended()
	}
	s.full = false
	if err == nil && len(s.calls.failed) == 0 {
		s.served = true
		s.t.State.Keep()
		s.calls.kept = s.calls.clock
		s.pace.took(s.calls.in.Count, used)
		return nil, s.calmed(ctx)
	}
	s.t.State.Undo()
	s.calls.drop()
	if err != nil && isTrap(err) && trapKind(err) != guest.TrapStatus {
		if !overran(err) {
			s.stats.Traps.add(string(trapKind(err)))
		}
		s.full = s.served && trapKind(err) == guest.TrapMemory
		if e := s.discard(ctx); e != nil {
			return nil, e
		}
		if s.t.Plan.Spec.OnError.Module == jobspec.ModuleFail && trapKind(err) == guest.TrapABI {
			return nil, &ModuleFailure{Step: s.spec.Name, Module: s.module.Digest(), Err: err}
		}
	}
	if err != nil && isTrap(err) && (s.calls.in.Count > 1 || overran(err) || s.full) {
		s.calls.forget() // all of it runs again
	}
	return s.calls.failed, err
}

// mostTurned is what steps may make of one batch that a task takes in, in bytes
// of records and of writes to stores, all steps and edges together. An epoch
// cannot end in the middle of a batch, so all of it has to be held: and each
// call may emit limits.max_emit, each step behind it again as much for every
// record of that.
const mostTurned = 512 << 20

var errTurned = fmt.Errorf("the steps turned one batch into more than %d MiB of records and state: emit less, or lower limits.batch.records", mostTurned>>20)

// emit sends on what the last call gathered.
func (s *step) emit(ctx context.Context) error {
	s.t.turned += s.calls.put
	for o, b := range s.calls.outs {
		s.calls.outs[o] = nil
		if b == nil {
			continue
		}
		s.stats.Out.Add(int64(b.Count))
		s.t.turned += b.bytes() * len(s.edges[o])
		if s.t.turned > mostTurned {
			break
		}
		if err := s.t.route(ctx, b, s.edges[o]); err != nil {
			return err
		}
	}
	if s.t.turned > mostTurned {
		return &ModuleFailure{Step: s.spec.Name, Module: s.module.Digest(), Err: errTurned}
	}
	return nil
}

// isTrap tells whether a call, or the start of an instance, ended by a trap. A
// ModuleFailure may have come of one but is the conclusion of it.
func isTrap(err error) bool {
	var m *ModuleFailure
	var t *guest.Trap
	return errors.As(err, &t) && !errors.As(err, &m)
}

func trapKind(err error) guest.TrapKind {
	var t *guest.Trap
	errors.As(err, &t)
	return t.Kind
}
