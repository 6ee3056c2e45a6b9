package overlay

import (
	"bytes"
	"slices"
	"sort"
)

// view returns the ids of an open delta as sorted runs. A key is in one run.
// What was added since the last view is sorted to a run of its own, and a run
// is merged with the one before while it is at least half as long: so there
// are few runs, and an id is moved a logarithmic number of times, however
// scans and writes alternate.
func (d *Delta) view() [][]uint32 {
	if n := len(d.entries); d.inRun < n {
		run := appendIDs(nil, d.inRun, n)
		d.sort(run)
		d.inRun = n
		for k := len(d.runs) - 1; k >= 0 && 2*len(run) >= len(d.runs[k]); k-- {
			run = d.merge(d.runs[k], run)
			d.runs = d.runs[:k]
		}
		d.runs = append(d.runs, run)
	}
	return d.runs
}

func (d *Delta) merge(a, b []uint32) []uint32 {
	out := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if bytes.Compare(d.key(a[0]), d.key(b[0])) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// forget takes the ids from first on out of the runs.
func (d *Delta) forget(first int) {
	if d.inRun <= first {
		return
	}
	for i, run := range d.runs {
		d.runs[i] = slices.DeleteFunc(run, func(id uint32) bool { return int(id) >= first })
	}
	d.runs = slices.DeleteFunc(d.runs, func(run []uint32) bool { return len(run) == 0 })
	d.inRun = first
}

// seek returns the index in sorted ids of the first key that is not below key.
func (d *Delta) seek(ids []uint32, key []byte) int {
	return sort.Search(len(ids), func(i int) bool { return bytes.Compare(d.key(ids[i]), key) >= 0 })
}
