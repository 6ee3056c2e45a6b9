package sched

import (
	"container/list"
	"time"
)

// Options are what a share is entitled to. The zero value is weight 1 and no
// limit.
type Options struct {
	Name string // for messages

	// Weight is the part of the CPU time that the share gets while others at
	// its level want some too, in relation to their weights. Below 1 stands
	// for 1.
	Weight int

	// Rate is the CPU time that the share may use in a second, on average:
	// 500ms is half a processor. At most 0 stands for no limit.
	Rate time.Duration

	// Burst is the CPU time that a share which has rested may use at once. At
	// most 0 stands for a tenth of Rate, but 10ms at least. It is of no
	// meaning without a Rate.
	Burst time.Duration
}

// Share is a claim to CPU time. It should live as long as what it is made for:
// a new one knows nothing of what its predecessor has used. Its fields are
// guarded by Scheduler.mu.
type Share struct {
	s      *Scheduler
	parent *Share // nil: the root
	name   string

	// Weight.
	virtual float64 // CPU time used, in nanoseconds for each unit of weight
	slope   float64 // 1/weight
	order   uint64  // among equals, the lowest is served first
	in      *queue  // nil: no call waits here or below
	index   int     // in it
	served  float64 // of the shares below: the virtual time of the last one that got a slot
	below   queue   // the shares below that could use a slot, least served first

	// Credit, in instants since Scheduler.start.
	price time.Duration // of a second of CPU time: how long credit for it takes to return; 0: no limit
	span  time.Duration // how long an empty bucket takes to fill
	empty time.Duration // when the bucket is empty; later than now if it is overdrawn
	owed  time.Duration // what empty was when the share was last among Scheduler.indebted

	waiters  list.List // of *waiter, first come, first served
	children int       // that are open
	closed   bool
	stats    Stats
}

// Share makes a share below parent, or at the top if parent is nil. Close
// frees it.
func (s *Scheduler) Share(parent *Share, o Options) *Share {
	if parent == nil {
		parent = &s.root
	}
	sh := &Share{s: parent.s, parent: parent, name: o.Name, slope: 1 / float64(max(o.Weight, 1)), below: queue{before: leastServed}}
	sh.s.mu.Lock()
	defer sh.s.mu.Unlock()
	parent.children++
	if o.Rate > 0 {
		sh.limit(o.Rate, o.Burst)
	}
	return sh
}

// Close ends the calls that wait at the share, and later ones, with
// ErrClosed. Calls that have a slot leave as ever. Shares below are not
// closed. It may be called more than once.
func (sh *Share) Close() {
	s := sh.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.closed {
		return
	}
	sh.closed = true
	sh.parent.children--
	s.now = time.Since(s.start)
	for sh.waiters.Len() > 0 {
		s.end(sh.waiters.Front().Value.(*waiter), ErrClosed)
	}
	s.arm()
}

// charge adds CPU time to what the share and those above it have used.
func (sh *Share) charge(used time.Duration) {
	used = max(used, 0)
	for a := sh; a.parent != nil; a = a.parent {
		a.stats.Used += used
		a.virtual += float64(used) * a.slope
		if a.price > 0 {
			a.spend(used)
		}
	}
	if s := sh.s; s.waiting > 0 {
		s.place(sh)
	}
}
