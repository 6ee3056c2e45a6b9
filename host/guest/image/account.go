package image

import "sync/atomic"

// Account is what the instances of somebody may have of memory together. It
// is safe for concurrent use.
type Account struct {
	limit uint64 // bytes, 0 = none
	used  atomic.Uint64
	peak  atomic.Uint64
}

// NewAccount returns an account of at most limit bytes, 0 for no limit.
func NewAccount(limit uint64) *Account { return &Account{limit: limit} }

// Used returns the bytes that all memories have now.
func (a *Account) Used() uint64 { return a.used.Load() }

// Peak returns the most bytes that all memories have had at once.
func (a *Account) Peak() uint64 { return a.peak.Load() }

// charge takes n bytes, or none if they are not there.
func (a *Account) charge(n uint64) bool {
	for {
		have := a.used.Load()
		if a.limit > 0 && n > a.limit-min(have, a.limit) {
			return false
		}
		if !a.used.CompareAndSwap(have, have+n) {
			continue
		}
		for peak := a.peak.Load(); have+n > peak && !a.peak.CompareAndSwap(peak, have+n); peak = a.peak.Load() {
		}
		return true
	}
}

func (a *Account) give(n uint64) { a.used.Add(-n) }
