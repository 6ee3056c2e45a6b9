package task

import (
	"encoding/binary"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/plan"
)

// A batch leaves for the other side of an exchange when it has so many bytes
// or records, or when its task has nothing else to do.
const (
	outletBytes   = 64 << 10
	outletRecords = 1024
)

// outlet is a task's side of an exchange: a batch for each partition, a
// queue for each task on the other side.
type outlet struct {
	ex     *plan.Exchange
	queues []*Queue
	open   []*Batch // by partition
	used   []int    // partitions whose batch is not empty
	bytes  int      // in open
}

func newOutlet(ex *plan.Exchange, queues []*Queue) *outlet {
	return &outlet{ex: ex, queues: queues, open: make([]*Batch, ex.Partitions)}
}

// badKey is a record whose key cannot be found.
type badKey struct {
	index int // in the batch
	why   string
}

// add copies the records of b to the partitions that their keys name and
// returns those that have no key.
func (o *outlet) add(b *Batch) (bad []badKey) {
	if o.ex.Key == nil || o.ex.Key.Own {
		for i, r := range b.each() {
			o.put(r, b.Origins[i], b.Partition)
		}
		return nil
	}
	var rec record.Record
	var raw []byte
	rest := b.Records
	for i := range b.Count {
		rest = wire.Next(rest, &rec)
		key, err := record.Pointer(rec.Value, o.ex.Key.Pointer)
		if err != nil {
			bad = append(bad, badKey{i, err.Error()})
			continue
		}
		rec.Key = key
		raw = wire.AppendRecord(raw[:0], &rec)
		o.put(raw, b.Origins[i], b.Partition)
	}
	return bad
}

// put copies one record to its partition: by the hash of its key, or by its
// source partition if the key is null.
func (o *outlet) put(r []byte, from Origin, in record.Partition) {
	le := binary.LittleEndian
	var hash uint32
	switch n := le.Uint32(r[offKey:]); {
	case n != nullLength:
		hash = record.Murmur2(r[wire.RecordHeaderSize:][:n])
	case from.Part != nil:
		hash = from.Part.Number
	default:
		hash = in.Number
	}
	p := record.PartitionOf(hash, o.ex.Partitions)
	b := o.open[p]
	if b == nil {
		b = newBatch(record.Partition{Name: o.ex.Name, Number: uint32(p)})
		o.open[p] = b
		o.used = append(o.used, p)
	}
	at := len(b.Records)
	b.addRaw(r, from)
	o.bytes += recordBytes(r)
	le.PutUint32(b.Records[at+offCause:], 0)
	le.PutUint16(b.Records[at+offStream:], o.ex.Target.Stream)
	if len(b.Records) >= outletBytes || b.Count >= outletRecords {
		o.send(p)
	}
}

func (o *outlet) send(p int) {
	b := o.open[p]
	if b == nil {
		return
	}
	o.open[p] = nil
	o.bytes -= b.bytes()
	o.queues[p%len(o.queues)].push(item{kind: itemBatch, batch: b})
}

// flush sends everything that waits here.
func (o *outlet) flush() {
	for _, p := range o.used {
		o.send(p)
	}
	o.used = o.used[:0]
}

// tell sends a mark or the end to every task on the other side, behind
// everything that waits here.
func (o *outlet) tell(it item) {
	o.flush()
	for _, q := range o.queues {
		q.push(it)
	}
}
