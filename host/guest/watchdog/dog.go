// Package watchdog stops guests that have used up their CPU time.
//
// A guest that was rewritten for it tests a word of its own instance, the
// flag, wherever it could run on for ever, and traps when the flag is not
// zero. Who lets a guest run gives its flag a Slot and a limit; the dog stores
// 1 into the flag when the thread that runs the guest has used that much CPU
// time. It is CPU time and not wall time, so a machine that is busy with
// other work stops nobody early.
//
// On Linux on amd64 and arm64 the dog is a thread that the Go runtime knows
// nothing of. A goroutine would not do: the garbage collector stops the world
// and waits for the thread of every guest to come back to Go, no goroutine
// runs meanwhile, and a guest that loops for ever would hang the process.
// Elsewhere the dog is a timer of the Go runtime that goes by wall time, and
// has that limit: a collection that begins while a guest overruns waits for
// the guest.
package watchdog

import (
	"fmt"
	"math/bits"
	"sync"
	"time"
)

const (
	// capacity is how many slots there are, a multiple of 64.
	capacity = 16384

	// period is the time between two looks at the slots while guests run. A
	// guest is stopped that much after its limit at most, and by how late
	// the operating system runs the dog.
	period = 2 * time.Millisecond

	// quiet is how many looks that find nothing running let the dog lie
	// down, so that calls of microseconds do not wake it one by one.
	quiet = 50
)

// Dog stops guests. One a process is enough. Its methods may be called from
// any goroutine.
type Dog struct {
	table *table

	mu   sync.Mutex
	used [capacity / 64]uint64 // guarded by mu; a bit for each cell of table that a Slot has
}

// Shared returns the dog of this process. The first call starts it, and it
// lives as long as the process. The error is the operating system's, if that
// refuses memory or a thread; it stays.
func Shared() (*Dog, error) { return shared() }

var shared = sync.OnceValues(func() (*Dog, error) {
	t, err := startTable()
	if err != nil {
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	return &Dog{table: t}, nil
})

// Slot registers a flag, which must be aligned to 8 bytes. The Slot keeps it
// alive; Release gives the slot back.
func (d *Dog) Slot(flag *uint64) (*Slot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w, word := range d.used {
		if word == ^uint64(0) {
			continue
		}
		i := w*64 + bits.TrailingZeros64(^word)
		d.used[w] |= 1 << (i % 64)
		d.table.end.Store(max(d.table.end.Load(), uint64(i)+1))
		s := &Slot{dog: d, index: i, flag: flag, cell: &d.table.cells[i]}
		s.cell.watch(flag)
		return s, nil
	}
	return nil, fmt.Errorf("watchdog: all %d slots of the process are taken: close instances that are idle, or spread the jobs over more processes", capacity)
}

// free gives cell i back and lets the dog look at no more cells than it must.
func (d *Dog) free(i int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used[i/64] &^= 1 << (i % 64)
	end := d.table.end.Load()
	for end > 0 && d.used[(end-1)/64]>>((end-1)%64)&1 == 0 {
		end--
	}
	d.table.end.Store(end)
}
