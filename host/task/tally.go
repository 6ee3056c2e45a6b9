package task

import (
	"maps"
	"sync"
)

// Tally counts by class. It is read from other goroutines.
type Tally struct {
	mu sync.Mutex
	by map[string]int64
}

func (t *Tally) add(class string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == nil {
		t.by = map[string]int64{}
	}
	t.by[class]++
}

// Counts returns a copy of the counts by class; nil if nothing was counted.
func (t *Tally) Counts() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.by)
}
