package task

import "sync"

// Queue carries batches from one task to another, and marks and the end
// between them in order. One task pushes, one pops. It never refuses: its
// bound shuts the gate, and so stops the sources.
type Queue struct {
	mu       sync.Mutex
	items    []item // mu; from head on
	head     int    // mu
	bytes    int    // mu; of the batches in items
	bound    int
	gate     *Gate
	consumer *Waker
}

type itemKind uint8

const (
	itemBatch itemKind = iota
	itemMark           // all before belongs to the epoch that is asked for and those before it
	itemEnd            // nothing follows
)

type item struct {
	kind  itemKind
	batch *Batch // of itemBatch
}

// NewQueue returns a queue to the owner of consumer with a bound in bytes.
func NewQueue(bound int, gate *Gate, consumer *Waker) *Queue {
	return &Queue{bound: bound, gate: gate, consumer: consumer}
}

func (q *Queue) push(it item) {
	n := 0
	if it.kind == itemBatch {
		n = it.batch.bytes()
		q.gate.Add(n)
	}
	q.mu.Lock()
	q.items = append(q.items, it)
	wasFull := q.bytes > q.bound
	q.bytes += n
	nowFull := q.bytes > q.bound
	q.mu.Unlock()
	if !wasFull && nowFull {
		q.gate.queueFull()
	}
	q.consumer.Wake()
}

// pop takes the first item. Its bytes count at the gate until the consumer
// says that it is done with the batch.
func (q *Queue) pop() (it item, ok bool) {
	q.mu.Lock()
	if q.head == len(q.items) {
		q.mu.Unlock()
		return item{}, false
	}
	it = q.items[q.head]
	q.items[q.head] = item{}
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	wasFull := q.bytes > q.bound
	if it.kind == itemBatch {
		q.bytes -= it.batch.bytes()
	}
	nowFull := q.bytes > q.bound
	q.mu.Unlock()
	if wasFull && !nowFull {
		q.gate.queueFree()
	}
	return it, true
}
