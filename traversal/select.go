package traversal

import (
	"slices"
	"strings"
)

// Selection keeps the smallest names of a listing that comes in any order.
// It holds at most twice its limit. Engines build pages with it.
type Selection struct {
	after   string
	limit   int
	entries []Entry
	full    bool   // something was cut off: nothing from bound on is of interest
	bound   string // the greatest name kept when that happened
}

// NewSelection returns a selection of the limit smallest names behind after.
func NewSelection(after string, limit int) *Selection {
	return &Selection{after: after, limit: limit}
}

// Add offers an entry. A name that is offered twice counts once.
func (s *Selection) Add(e Entry) {
	if e.Name <= s.after || s.full && e.Name >= s.bound {
		return
	}
	s.entries = append(s.entries, e)
	if len(s.entries) >= 2*s.limit && s.limit > 0 {
		s.trim()
	}
}

// Done returns the selected entries in order and whether there were others.
func (s *Selection) Done() (entries []Entry, more bool) {
	s.trim()
	return s.entries, s.full
}

func (s *Selection) trim() {
	slices.SortFunc(s.entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	s.entries = slices.CompactFunc(s.entries, func(a, b Entry) bool { return a.Name == b.Name })
	if len(s.entries) > s.limit {
		clear(s.entries[s.limit:])
		s.entries = s.entries[:s.limit]
		s.full, s.bound = true, s.entries[s.limit-1].Name
	}
}
