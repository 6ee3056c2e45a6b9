package task

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
)

func outletTo(tasks, partitions int, key *jobspec.Key) (*outlet, []*Queue) {
	g := NewGate(1<<40, func() {})
	var queues []*Queue
	for range tasks {
		queues = append(queues, NewQueue(1<<30, g, NewWaker()))
	}
	ex := &plan.Exchange{Name: "by-key", Partitions: partitions, Key: key, Target: plan.Edge{Stream: 2}}
	return newOutlet(ex, queues), queues
}

// TestOutlet_RoutesByKey checks each record on the other side: the partition
// that Kafka would take, the task that owns it, order, and origin.
func TestOutlet_RoutesByKey(t *testing.T) {
	const tasks, partitions = 3, 7
	for name, key := range map[string]*jobspec.Key{"as it is": nil, "own": {Own: true}, "pointer": {Pointer: "/k"}} {
		t.Run(name, func(t *testing.T) {
			o, queues := outletTo(tasks, partitions, key)
			const n = 3 * outletRecords // some batches leave because they are full
			for i := range n {
				b := newBatch(testPart.Partition)
				r := record.Record{Position: record.Position(i), Cause: 9, Stream: 5, Key: fmt.Appendf(nil, "key-%d", i%50), Value: fmt.Appendf(nil, `{"k":"key-%d"}`, i%50)}
				if key == nil && i%5 == 0 {
					r.Key = nil
				}
				b.Add(&r)
				b.Origins = append(b.Origins, NewOrigin(testPart, r.Position))
				if bad := o.add(b); len(bad) > 0 {
					t.Fatal(bad)
				}
				b.free()
			}
			o.tell(item{kind: itemMark})
			seen, last := 0, map[string]record.Position{}
			for task, q := range queues {
				for {
					it, ok := q.pop()
					if !ok {
						t.Fatal("no mark")
					}
					if it.kind == itemMark {
						break
					}
					b := it.batch
					if int(b.Partition.Number)%tasks != task || b.Partition.Name != "by-key" {
						t.Fatalf("partition %+v came to task %d", b.Partition, task)
					}
					var rec record.Record
					rest := b.Records
					for i := range b.Count {
						rest = wire.Next(rest, &rec)
						want := int(testPart.Number) % partitions // of a null key
						if rec.Key != nil {
							want = record.PartitionOf(record.Murmur2(rec.Key), partitions)
						}
						if int(b.Partition.Number) != want || rec.Stream != 2 || rec.Cause != 0 || rec.Position != b.Origins[i].Position() {
							t.Fatalf("partition %d, want %d: %+v from %+v", b.Partition.Number, want, rec, b.Origins[i])
						}
						if at, ok := last[string(rec.Key)]; ok && at >= rec.Position {
							t.Fatalf("key %s: %d after %d", rec.Key, rec.Position, at)
						}
						last[string(rec.Key)] = rec.Position
						seen++
					}
				}
				if _, ok := q.pop(); ok {
					t.Error("something comes behind the mark")
				}
			}
			if seen != n {
				t.Errorf("%d records of %d came", seen, n)
			}
		})
	}
}

func TestOutlet_ReturnsBadKeys(t *testing.T) {
	o, queues := outletTo(1, 1, &jobspec.Key{Pointer: "/k"})
	bad := o.add(batchOf(`{"k":1}`, `{}`, `{"k":"x"}`, `{"k":null}`, `{rubbish`))
	want := []badKey{{1, "key /k: not in the value"}, {3, "key /k: is null"}, {4, "key /k: the value is not JSON"}}
	if !slices.Equal(bad, want) {
		t.Errorf("bad keys are %v, want %v", bad, want)
	}
	o.flush()
	if it, ok := queues[0].pop(); !ok || it.batch.Count != 2 {
		t.Errorf("%+v, %v came, want two records", it.batch, ok)
	}
}

// TestOutlet_AllocatesNothingPerRecord routes batches and takes them on the
// other side, as the tasks on both do.
func TestOutlet_AllocatesNothingPerRecord(t *testing.T) {
	const records = 512
	for name, key := range map[string]*jobspec.Key{"own": {Own: true}, "pointer": {Pointer: "/k"}} {
		t.Run(name, func(t *testing.T) {
			o, queues := outletTo(2, 4, key)
			in := newBatch(testPart.Partition)
			for i := range records {
				in.Add(&record.Record{Time: record.NoTime, Key: fmt.Appendf(nil, "key-%d", i), Value: fmt.Appendf(nil, `{"n":%d,"k":"key-%d"}`, i, i)})
				in.Origins = append(in.Origins, NewOrigin(testPart, record.Position(i)))
			}
			round := func() {
				if bad := o.add(in); bad != nil {
					t.Fatal(bad)
				}
				o.flush()
				for _, q := range queues {
					for it, ok := q.pop(); ok; it, ok = q.pop() {
						it.batch.free()
					}
				}
			}
			for range 20 {
				round()
			}
			// A few a batch: the pool of batches may be emptied by the garbage collector.
			if n := testing.AllocsPerRun(200, round); n > records/16 {
				t.Errorf("%v allocations for %d records", n, records)
			} else {
				t.Logf("%v allocations for %d records", n, records)
			}
		})
	}
}
