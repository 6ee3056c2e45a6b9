package wasmill

import (
	"iter"

	"github.com/wasmill/wasmill/sdk-go/record"
)

// Batch is a run of records of one partition, in order.
type Batch struct {
	cx    *Context
	frame record.Frame
	rec   Record
}

// Len returns how many records there are.
func (b *Batch) Len() int { return b.frame.Count }

// Partition names where the records come from: a topic and its partition, a
// file by its path, an exchange. The name is a view.
func (b *Batch) Partition() (name []byte, number uint32) {
	return b.frame.PartitionName, b.frame.PartitionNumber
}

// All yields the records in order. The Record is one and the same, filled
// anew each time; its Key, Value and Headers are good until the step's
// function returns. What the body of the loop emits is noted as caused by the
// record that the loop is at.
func (b *Batch) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		b.frame.Rewind()
		for b.next() && yield(&b.rec) {
		}
		b.cx.cause, b.cx.causeTime = record.CauseBatch, NoTime
	}
}

// next decodes the next record into b.rec and makes it the cause of emits.
func (b *Batch) next() bool {
	var cause uint32
	ok, err := b.frame.Next(&b.rec, &cause)
	if err != nil && b.cx.err == nil {
		b.cx.err = err
	}
	b.cx.cause, b.cx.causeTime = b.rec.Index, b.rec.Time
	return ok
}
