package sched

import "time"

// Stats is what calls in a share and below it have used and waited for, those
// that still wait aside.
type Stats struct {
	Used time.Duration // CPU time

	// ForCredit is the time that calls waited until the last moment at which
	// credit was missing to them, ForSlot what they waited after that.
	ForCredit, ForSlot time.Duration
}

// Stats returns what has been counted until now.
func (sh *Share) Stats() Stats {
	sh.s.mu.Lock()
	defer sh.s.mu.Unlock()
	return sh.stats
}
