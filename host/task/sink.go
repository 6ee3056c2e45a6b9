package task

import "github.com/wasmill/wasmill/host/epoch"

// sinkBatch is the size to which records for a sink are gathered.
const sinkBatch = 256 << 10

// sinkOut gathers what a task sends to one sink in the open epoch. Batches
// go back to where they came from once their epoch is committed: until then
// the committer may be reading them.
type sinkOut struct {
	writer  *epoch.Writer
	batches []*Batch // of the open epoch
	sealed  []*Batch // of the sealed one
	bytes   int      // in batches
}

// add takes b over.
func (s *sinkOut) add(b *Batch) {
	s.bytes += len(b.Records)
	if n := len(s.batches); n > 0 && len(s.batches[n-1].Records)+len(b.Records) <= sinkBatch {
		last := s.batches[n-1]
		last.Records = append(last.Records, b.Records...)
		last.Count += b.Count
		b.free()
		return
	}
	s.batches = append(s.batches, b)
}

// seal returns what was gathered, and whether there is anything to tell the
// writer. What was sealed before must be committed.
func (s *sinkOut) seal(end bool) (epoch.Out, bool) {
	o := epoch.Out{Writer: s.writer, End: end}
	for _, b := range s.batches {
		o.Batches = append(o.Batches, &b.Batch)
	}
	s.batches, s.sealed = s.sealed[:0], s.batches
	s.bytes = 0
	return o, end || len(o.Batches) > 0
}

// committed gives the batches of the sealed epoch back.
func (s *sinkOut) committed() {
	for i, b := range s.sealed {
		b.free()
		s.sealed[i] = nil
	}
	s.sealed = s.sealed[:0]
}
