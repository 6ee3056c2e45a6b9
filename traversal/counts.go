package traversal

import "sync/atomic"

// Counts are the totals of a walk. They may be read while it runs.
type Counts struct {
	Dirs       atomic.Int64 // directories read to their end
	Pages      atomic.Int64
	Files      atomic.Int64 // regular ones
	Symlinks   atomic.Int64
	Others     atomic.Int64 // FIFOs, sockets, devices
	Vanished   atomic.Int64 // directories and entries, as the three below
	Changed    atomic.Int64
	Unreadable atomic.Int64
	Exhausted  atomic.Int64
}

func (c *Counts) entry(e *Entry) {
	switch e.Kind {
	case KindFile:
		c.Files.Add(1)
	case KindSymlink:
		c.Symlinks.Add(1)
	case KindOther:
		c.Others.Add(1)
	}
	if e.Err != nil {
		c.fault(e.Err)
	}
}

func (c *Counts) fault(err error) {
	switch ClassOf(err) {
	case Vanished:
		c.Vanished.Add(1)
	case Changed:
		c.Changed.Add(1)
	case Exhausted:
		c.Exhausted.Add(1)
	default:
		c.Unreadable.Add(1)
	}
}
