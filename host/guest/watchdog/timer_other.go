//go:build !linux || !(amd64 || arm64)

package watchdog

import (
	"sync/atomic"
	"time"
)

// table holds the cells, and a timer that looks at them while guests run. See
// the package for what it cannot do. The timer's function is the only one that
// runs between idle = 0 and idle = 1, and nobody loses a wake-up: it stores
// idle = 1 and then looks once more, an owner stores its limit and then loads
// idle.
type table struct {
	idle  atomic.Uint32 // 1 while the timer stands, or is about to
	end   atomic.Uint64 // cells [0, end) may be in use
	looks atomic.Uint64 // how often the cells were looked at
	timer *time.Timer   // set again by its own function and by who stores idle = 0
	still int           // looks in a row that found nothing running; of the timer's function
	began time.Time     // limits are nanoseconds since then
	cells [capacity]cell
}

// cell is a slot's part of the table.
type cell struct {
	table *table
	flag  *uint64
	limit atomic.Int64 // nanoseconds since began, or one of slot.go's values
}

func startTable() (*table, error) {
	t := &table{began: time.Now()}
	t.idle.Store(1)
	for i := range t.cells {
		t.cells[i].table = t
	}
	// The function must not run before timer is set.
	t.timer = time.AfterFunc(time.Hour, t.tick)
	t.timer.Stop()
	return t, nil
}

// watch says which flag the cell is for. Nothing runs in it.
func (c *cell) watch(flag *uint64) { c.flag = flag }

// clock returns the time in nanoseconds.
func (c *cell) clock() int64 { return int64(time.Since(c.table.began)) }

// wake starts the timer if it stands.
func (t *table) wake() {
	if t.idle.Load() == 1 && t.idle.CompareAndSwap(1, 0) {
		t.timer.Reset(period)
	}
}

func (t *table) tick() {
	if t.look() {
		t.still = 0
	} else {
		t.still++
	}
	if t.still >= quiet {
		t.still = 0
		t.idle.Store(1)
		// An owner who stored its limit before idle was 1 does not start the
		// timer; one who did so later may have done it already.
		if !t.look() || !t.idle.CompareAndSwap(1, 0) {
			return
		}
	}
	t.timer.Reset(period)
}

// look stops who has overrun and tells whether any cell had a limit.
func (t *table) look() (busy bool) {
	t.looks.Add(1)
	now := int64(time.Since(t.began))
	for i := range t.end.Load() {
		c := &t.cells[i]
		l := c.limit.Load()
		if l <= resting {
			continue
		}
		busy = true
		if now >= l && c.limit.CompareAndSwap(l, claimed) {
			atomic.StoreUint64(c.flag, 1)
			c.limit.Store(stopped)
		}
	}
	return busy
}
