package task

import (
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/epoch"
)

// sinkBatch is the size to which records for a sink are gathered.
const sinkBatch = 256 << 10

// sinkOut gathers what a task sends to one sink in the open epoch.
type sinkOut struct {
	writer  *epoch.Writer
	batches []*wire.Batch
	bytes   int
	records int64
}

// add takes b over.
func (s *sinkOut) add(b *Batch) {
	s.bytes += len(b.Records)
	s.records += int64(b.Count)
	if n := len(s.batches); n > 0 && len(s.batches[n-1].Records)+len(b.Records) <= sinkBatch {
		last := s.batches[n-1]
		last.Records = append(last.Records, b.Records...)
		last.Count += b.Count
		b.free()
		return
	}
	s.batches = append(s.batches, &b.Batch)
}

// seal returns what was gathered, and whether there is anything to tell the writer.
func (s *sinkOut) seal(end bool) (epoch.Out, bool) {
	o := epoch.Out{Writer: s.writer, Batches: s.batches, End: end}
	s.batches, s.bytes = nil, 0
	return o, end || len(o.Batches) > 0
}
