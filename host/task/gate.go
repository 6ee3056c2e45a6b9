package task

import "sync/atomic"

// Gate bounds the unsealed work of a container: bytes in queues and in open
// deltas. While it is shut nothing new is read from sources and no end is
// called; everything else goes on, so that what is in the way can drain and
// a barrier always gets through. It may be overrun by what one batch of each
// task turns into, for which there is mostTurned.
type Gate struct {
	limit   int64
	used    atomic.Int64
	full    atomic.Int32 // queues that are over their bound
	waiters []*Waker     // of those who wait for it to open
	shut    func()       // called when it shuts: time for a barrier
}

// NewGate returns a gate of limit bytes. shut must not block.
func NewGate(limit int64, shut func()) *Gate { return &Gate{limit: limit, shut: shut} }

// Attach names those to wake when it opens.
func (g *Gate) Attach(waiters []*Waker) { g.waiters = waiters }

// Open reports whether new work may be begun.
func (g *Gate) Open() bool { return g.used.Load() <= g.limit && g.full.Load() == 0 }

// Used returns the bytes that are counted now.
func (g *Gate) Used() int64 { return g.used.Load() }

// Add counts n bytes more, or less.
func (g *Gate) Add(n int) {
	now := g.used.Add(int64(n))
	before := now - int64(n)
	switch {
	case before <= g.limit && now > g.limit:
		g.shut()
	case before > g.limit && now <= g.limit:
		g.wake()
	}
}

func (g *Gate) queueFull() { g.full.Add(1) }

func (g *Gate) queueFree() {
	if g.full.Add(-1) == 0 {
		g.wake()
	}
}

func (g *Gate) wake() {
	for _, w := range g.waiters {
		w.Wake()
	}
}
