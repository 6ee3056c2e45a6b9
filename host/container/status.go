package container

import "time"

// Status is what a container is doing.
type Status struct {
	Epoch    uint64        // last committed
	Epochs   int64         // committed by this process, those in which nothing happened included
	Commit   time.Duration // spent in commits by this process
	Records  int64         // read from sources since the last rollback, like what follows
	Bytes    int64
	Splits   int64        // read to their end
	Unsealed int64        // bytes in queues and open deltas now
	Steps    []StepStatus // by step of the spec
}

// StepStatus is what a step has done, all its tasks together.
type StepStatus struct {
	Name     string
	Batches  int64            // calls with records or of an end, those that were undone included
	Records  int64            // that came in
	Out      int64            // that were emitted and kept
	Failed   int64            // that the policy got
	FailedBy map[string]int64 // the same by class, as in dead letters; nil if none
	Traps    int64            // instances that were lost, or did not start again
	TrapsBy  map[string]int64 // the same by guest.TrapKind; nil if none
	Overruns int64            // calls that were made again because they took longer than a quantum
	Recycled int64            // instances replaced because their memory was nearly full
	Guest    time.Duration    // CPU time in guests, before rollbacks too
	Memory   int64            // of all instances, in bytes
	Metrics  map[string]int64 // that the guests defined, by name; nil if none
}

// Status returns what the container is doing now.
func (k *Container) Status() Status {
	s := Status{Epoch: k.committed.Load(), Epochs: k.epochs.Load(), Commit: time.Duration(k.commit.Load())}
	if r := k.run.Load(); r != nil {
		r.status(&s)
	}
	return s
}

// status adds what the tasks have done.
func (r *run) status(s *Status) {
	spec := r.k.c.Plan.Spec
	s.Steps = make([]StepStatus, len(spec.Steps))
	for i := range spec.Steps {
		s.Steps[i].Name = spec.Steps[i].Name
	}
	for i, d := range r.guestTime() {
		s.Steps[i].Guest = d
	}
	s.Unsealed = r.gate.Used()
	for _, t := range r.tasks {
		s.Records += t.Stats.Records.Load()
		s.Bytes += t.Stats.Bytes.Load()
		s.Splits += t.Stats.Splits.Load()
		for i, st := range t.Stats.Steps {
			o := &s.Steps[r.k.c.Plan.Stages[t.Stage].Steps[i].Spec]
			o.Batches += st.Batches.Load()
			o.Records += st.Records.Load()
			o.Out += st.Out.Load()
			o.Overruns += st.Overruns.Load()
			o.Recycled += st.Recycled.Load()
			o.Memory += st.Memory.Load()
			o.Failed += add(&o.FailedBy, st.Failed.Counts())
			o.Traps += add(&o.TrapsBy, st.Traps.Counts())
			add(&o.Metrics, st.Metrics())
		}
	}
}

// guestTime returns the CPU time in guests by step of the spec, that of the
// runs before this one included.
func (r *run) guestTime() []time.Duration {
	sum := make([]time.Duration, len(r.k.c.Plan.Spec.Steps))
	copy(sum, r.guests)
	for _, t := range r.tasks {
		for i, st := range t.Stats.Steps {
			sum[r.k.c.Plan.Stages[t.Stage].Steps[i].Spec] += time.Duration(st.Nanos.Load())
		}
	}
	return sum
}

// add adds counts to those in to, which it makes if there are any, and
// returns their sum.
func add(to *map[string]int64, counts map[string]int64) (sum int64) {
	if *to == nil && len(counts) > 0 {
		*to = map[string]int64{}
	}
	for name, n := range counts {
		(*to)[name] += n
		sum += n
	}
	return sum
}
