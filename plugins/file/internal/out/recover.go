package out

import (
	"cmp"
	"fmt"
	"slices"
)

// action is one step that brings the files of a writer to what its token says.
type action struct {
	do   string // truncate, rename, remove
	path string
	to   string // of rename
	size int64  // of truncate
}

// decide is recovery without its I/O: from the token and the files of this
// writer that exist, with their sizes, to the steps to take, in order. It is
// the same whether the run before ended cleanly, crashed before the commit,
// between the commit and the renames, or among those.
//
//   - An open file in the token is cut to its committed length. If it is
//     missing or shorter, somebody else took it away: an error.
//   - A sealed one is renamed; if its temporary file is gone it was renamed
//     before, and where the final one is now is not our business.
//   - Every other temporary file, and every file that the token would not
//     know of because its sequence comes later, is of an epoch that never
//     committed: removed.
func decide(t token, found map[string]int64, task int, ext string) ([]action, error) {
	var acts []action
	known := map[string]bool{}
	for _, f := range t.files {
		known[f.path] = true
		size, ok := found[f.path]
		switch {
		case !ok && f.sealed:
			continue
		case !ok:
			return nil, fmt.Errorf("%s is gone, of which %d bytes are committed: put it back, or start over with --fresh", f.path, f.length)
		case size < f.length:
			return nil, fmt.Errorf("%s has %d bytes, of which %d are committed: put the rest back, or start over with --fresh", f.path, size, f.length)
		case size > f.length:
			acts = append(acts, action{do: "truncate", path: f.path, size: f.length})
		}
		if f.sealed {
			n, ok := parseName(split(f.path))
			if !ok {
				return nil, errToken
			}
			to := n.finished(ext).String()
			known[to] = true
			acts = append(acts, action{do: "rename", path: f.path, to: to})
		}
	}
	for path := range found {
		n, ok := parseName(split(path))
		if !ok || n.task != task || known[path] {
			continue
		}
		if n.temporary || !n.rolled || n.sequence >= t.next {
			acts = append(acts, action{do: "remove", path: path})
		}
	}
	// Removals first and by name, so that the same facts give the same steps.
	slices.SortStableFunc(acts, func(a, b action) int {
		if a.do == "remove" && b.do == "remove" {
			return cmp.Compare(a.path, b.path)
		}
		return cmp.Compare(order(a), order(b))
	})
	return acts, nil
}

func order(a action) int {
	if a.do == "remove" {
		return 0
	}
	return 1
}
