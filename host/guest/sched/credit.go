package sched

import "time"

const minBurst = 10 * time.Millisecond

// limit gives the share a full bucket.
func (sh *Share) limit(rate, burst time.Duration) {
	if burst <= 0 {
		burst = max(rate/10, minBurst)
	}
	sh.price = scaled(time.Second, time.Second, rate)
	sh.span = scaled(burst, time.Second, rate)
	sh.s.now = time.Since(sh.s.start)
	sh.empty = sh.s.now - sh.span
}

// spill takes from the bucket what it cannot hold, when a call begins. While
// a call runs the bucket may be overfull, since the call has not been charged:
// else calls longer than the burst would get less than the rate.
func (sh *Share) spill() {
	if sh.price > 0 {
		sh.empty = max(sh.empty, sh.s.now-sh.span)
	}
}

// spend takes CPU time from the bucket.
func (sh *Share) spend(used time.Duration) { sh.empty += scaled(used, sh.price, time.Second) }

// solvent tells whether the share, those above it aside, had no debt at
// Scheduler.now. Without a charge it stays so.
func (sh *Share) solvent() bool { return sh.price == 0 || sh.empty <= sh.s.now }

// mayRun tells whether neither the share nor one above it is in debt. It
// reads the clock if one of them has a limit.
func (sh *Share) mayRun() bool {
	s, read := sh.s, false
	for a := sh; a.parent != nil; a = a.parent {
		if a.price > 0 && !read {
			s.now, read = time.Since(s.start), true
		}
		if !a.solvent() {
			return false
		}
	}
	return true
}

// debtEnd returns until when calls have waited last because the share or one
// above it was in debt.
func (sh *Share) debtEnd() time.Duration {
	var at time.Duration
	for a := sh; a.parent != nil; a = a.parent {
		at = max(at, a.owed)
	}
	return at
}

// scaled returns d × by / of, which must not be so long as 292 years. The
// product would overflow 64 bits for seconds.
func scaled(d, by, of time.Duration) time.Duration {
	return time.Duration(float64(d) * (float64(by) / float64(of)))
}
