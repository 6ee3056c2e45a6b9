package sched

import (
	"runtime"
	"sync"
	"time"
)

// Scheduler hands out CPU slots. It is safe for use by many goroutines.
type Scheduler struct {
	start time.Time // the origin of all instants

	mu       sync.Mutex // guards what follows and what all shares hold
	free     int        // slots that nobody has; 0 if a call waits that might run
	waiting  int        // calls
	now      time.Duration
	order    uint64 // the last that was given
	root     Share
	indebted queue         // where calls wait but credit is missing, by Share.empty
	timer    *time.Timer   // for the first of indebted; nil until it is needed
	armed    time.Duration // the instant that the timer is set to; 0: it is not
}

// New returns a scheduler of so many slots; below 1 stands for GOMAXPROCS.
func New(slots int) *Scheduler {
	if slots < 1 {
		slots = runtime.GOMAXPROCS(0)
	}
	s := &Scheduler{start: time.Now(), free: slots, indebted: queue{before: emptyFirst}}
	s.root = Share{s: s, below: queue{before: leastServed}}
	return s
}

// tick reads the clock and brings back the shares that have credit again.
func (s *Scheduler) tick() {
	s.now = time.Since(s.start)
	for s.indebted.Len() > 0 && s.indebted.of[0].solvent() {
		s.place(s.indebted.of[0])
	}
}

// place puts a share, and then those above it, where they belong: in the
// queue of their level if they could use a slot, with the indebted if credit
// is missing, nowhere if no call waits.
func (s *Scheduler) place(sh *Share) {
	for ; sh.parent != nil; sh = sh.parent {
		var to *queue
		switch {
		case sh.waiters.Len() == 0 && sh.below.Len() == 0:
		case !sh.solvent():
			to, sh.owed = &s.indebted, sh.empty
		default:
			to = &sh.parent.below
		}
		if to == sh.in {
			to.fix(sh)
			continue
		}
		sh.in.remove(sh)
		if to == &sh.parent.below {
			sh.virtual = max(sh.virtual, sh.parent.served)
			sh.order = s.next()
		}
		to.add(sh)
	}
}

// next returns the next number of the order in which equals are served.
func (s *Scheduler) next() uint64 {
	s.order++
	return s.order
}

// take gives a free slot to a call of sh. The clock has been read if a share
// on the way has a limit.
func (s *Scheduler) take(sh *Share) {
	s.free--
	for ; sh.parent != nil; sh = sh.parent {
		sh.virtual = max(sh.virtual, sh.parent.served)
		sh.parent.served = sh.virtual
		sh.order = s.next()
		sh.spill()
	}
}

// dispatch gives the free slots to the calls that have the best claims, and
// sets the timer for those that wait for credit.
func (s *Scheduler) dispatch() {
	for s.free > 0 && s.root.below.Len() > 0 {
		sh := &s.root
		for sh.waiters.Len() == 0 {
			sh = sh.below.of[0]
		}
		s.end(sh.waiters.Front().Value.(*waiter), nil)
	}
	s.arm()
}

// arm sets the timer to the first instant at which an indebted share has
// credit again, or stops it.
func (s *Scheduler) arm() {
	var at time.Duration
	if s.indebted.Len() > 0 {
		at = s.indebted.of[0].empty
	}
	if at == s.armed {
		return
	}
	s.armed = at
	switch {
	case at == 0:
		s.timer.Stop()
	case s.timer == nil:
		s.timer = time.AfterFunc(at-s.now, s.refilled)
	default:
		s.timer.Reset(at - s.now)
	}
}

// refilled is called by the timer. It does no harm at a wrong time.
func (s *Scheduler) refilled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = 0
	s.tick()
	s.dispatch()
}
