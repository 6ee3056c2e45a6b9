package watchdog

import "sync/atomic"

// Capacity is how many slots a dog has.
const Capacity = capacity

// Looks is how often the dog has looked at its cells.
func (d *Dog) Looks() uint64 { return d.table.looks.Load() }

// Lies tells whether the dog waits to be woken.
func (d *Dog) Lies() bool { return d.table.idle.Load() == 1 }

// Cells is how many cells the dog looks at.
func (d *Dog) Cells() int { return int(d.table.end.Load()) }

// Claim does the dog's first step on a slot that has begun.
func (s *Slot) Claim() { s.cell.limit.Store(claimed) }

// Stop does the dog's steps after Claim.
func (s *Slot) Stop() {
	atomic.StoreUint64(s.flag, 1)
	s.cell.limit.Store(stopped)
}
