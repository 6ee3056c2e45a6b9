package task

import (
	"context"
	"slices"
	"time"

	"github.com/wasmill/wasmill/host/guest"
)

// pace sizes the batches of a step by the CPU time that its records take:
// guests give way between calls, so that a call should be short.
type pace struct {
	aim  time.Duration // of a call; 0 = sizes do not depend on time
	most int           // records of a batch
	each float64       // nanoseconds of a record, as learned; 0 = not known yet
	size int           // records of the next batch
}

const (
	firstRecords = 64 // of a batch before anything is known
	learn        = 4  // of so many calls a record's time is the mean, the latest weighing most
)

// records is how many records the next batch may have.
func (p *pace) records() int {
	if p.aim == 0 {
		return p.most
	}
	if p.size == 0 {
		p.size = min(firstRecords, p.most)
	}
	return p.size
}

// took learns from a call that went well. A batch at most doubles from one
// call to the next, because the next records may be slower ones.
func (p *pace) took(records int, used time.Duration) {
	if p.aim == 0 || records == 0 {
		return
	}
	each := max(float64(used)/float64(records), 1)
	if p.each > 0 {
		each = p.each + (each-p.each)/learn
	}
	p.each = each
	p.size = max(1, min(int(float64(p.aim)/each), 2*max(p.size, records), p.most))
}

// overran tells whether a call has to be made again, smaller or patiently.
func overran(err error) bool { return isTrap(err) && trapKind(err) == guest.TrapQuantum }

const (
	maxOverruns = 3 // records a minute that take longer than a quantum
	calmAfter   = time.Minute
)

// overrun arranges for a batch that did not return within its quantum to be
// run again: in halves, a record that is alone on a patient instance.
func (s *step) overrun(v *Batch) {
	s.stats.Overruns.Add(1)
	if v.Count > 1 {
		s.halve(v)
		return
	}
	s.again = append(s.again, v)
	s.patient(time.Now())
}

// patient makes the next instance a patient one. If that happened often of
// late, instances stay patient for a while: to go back and forth would cost
// more than patience does.
func (s *step) patient(now time.Time) {
	s.slow = slices.DeleteFunc(append(s.slow, now), func(t time.Time) bool { return now.Sub(t) > time.Minute })
	s.init.Run.Patient = true
	s.calm = now
	if len(s.slow) > maxOverruns {
		s.calm = now.Add(calmAfter)
	}
}

// calmed takes the step back to instances that are not patient when it may.
func (s *step) calmed(ctx context.Context) error {
	if !s.init.Run.Patient || time.Now().Before(s.calm) {
		return nil
	}
	s.init.Run.Patient = false
	return s.discard(ctx)
}

// recycled replaces an instance whose memory is nearly full, at the end of an
// epoch: one that leaks a little with every record ends before it fails. A
// module that needs as much from the start on keeps its instance.
func (s *step) recycled(ctx context.Context) error {
	if s.inst == nil || s.t.Limits.Memory == 0 {
		return nil
	}
	have, nearly := s.inst.MemoryBytes(), s.t.Limits.Memory/5*4
	if have < nearly || s.fresh >= nearly {
		return nil
	}
	s.stats.Recycled.Add(1)
	return s.discard(ctx)
}
