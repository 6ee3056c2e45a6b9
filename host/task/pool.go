package task

import (
	"sync"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/host/epoch"
)

// Pool holds the splits of one source that are found and not being read. A
// split may be taken only by a task whose open epoch is not before that in
// which the split was found: else a checkpoint could hold its records and
// not the discovery, and a crash would find it again.
type Pool struct {
	mu      sync.Mutex
	splits  []pooled
	head    int
	waiters []*Waker // of the tasks that read
	finder  *Waker   // of the enumerator
	limit   int
	cuts    map[string]record.Position
	done    uint64 // epoch in which discovery ended, 0 before
}

type pooled struct {
	epoch.Split
	found uint64
	cut   record.Position // records from here on are not read in this run; -1 = all are
}

// NewPool returns a pool of the splits that a checkpoint holds; it asks the
// enumerator to pause above limit. Of the splits in cuts, by id, the records
// from the given position on are not read.
func NewPool(splits []epoch.Split, limit int, cuts map[string]record.Position) *Pool {
	p := &Pool{limit: limit, cuts: cuts}
	for _, s := range splits {
		p.add(s, 0)
	}
	return p
}

// Attach names those to wake: the tasks that read, and the enumerator.
func (p *Pool) Attach(finder *Waker, readers []*Waker) { p.finder, p.waiters = finder, readers }

// add puts a split found in the given epoch into the pool.
func (p *Pool) add(s epoch.Split, found uint64) {
	cut, ok := p.cuts[string(s.ID)]
	if !ok {
		cut = -1
	}
	p.mu.Lock()
	p.splits = append(p.splits, pooled{s, found, cut})
	p.mu.Unlock()
	p.wake()
}

// close says that nothing is added any more as of the given epoch.
func (p *Pool) close(found uint64) {
	p.mu.Lock()
	p.done = max(found, 1)
	p.mu.Unlock()
	p.wake()
}

func (p *Pool) wake() {
	for _, w := range p.waiters {
		w.Wake()
	}
}

// take returns a split for a task whose open epoch is given. ended says that
// there will never be one again.
func (p *Pool) take(open uint64) (s pooled, ok, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head == len(p.splits) {
		return pooled{}, false, p.done != 0 && p.done <= open
	}
	if s = p.splits[p.head]; s.found > open {
		return pooled{}, false, false
	}
	p.splits[p.head] = pooled{}
	if p.head++; p.head == len(p.splits) {
		p.splits, p.head = p.splits[:0], 0
	} else if p.head > 1024 && p.head > len(p.splits)/2 {
		p.splits = append(p.splits[:0], p.splits[p.head:]...)
		p.head = 0
	}
	if len(p.splits)-p.head == p.limit/2 && p.finder != nil {
		p.finder.Wake()
	}
	return s, true, false
}

// full reports whether the enumerator should pause.
func (p *Pool) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.splits)-p.head > p.limit
}
