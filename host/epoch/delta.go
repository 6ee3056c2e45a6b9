package epoch

import (
	"bytes"
	"slices"

	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/state/overlay"
)

// Row is a write of something else than a user's state. A nil Value deletes.
type Row struct{ Key, Value []byte }

// Delta is what one task did in one epoch. From Seal on nobody changes it.
type Delta struct {
	Task  int            // number in the container; where two deltas write a row, the higher task's counts
	State *overlay.Delta // writes of users' state, nil if there are none
	Rows  []Row          // in the order of their making: a later one of a key counts
	Out   []Out          // what goes to sinks
	Ended bool           // the task does nothing more in any later epoch
}

// Out is what a task hands to one writer in an epoch. There is one if there
// are batches, or if nothing follows them.
type Out struct {
	Writer  *Writer
	Batches []*wire.Batch
	End     bool // the task writes nothing more
}

// Epoch is everything between two commits: the deltas of all tasks.
type Epoch struct {
	Number uint64
	Deltas []*Delta // in the order of their tasks
	Ended  bool     // every task has ended: the job is finished

	tokens []Row // of the writers, made by Prepare
}

// empty reports whether nothing happened in the epoch.
func (e *Epoch) empty() bool {
	for _, d := range e.Deltas {
		if d.State != nil || len(d.Rows) > 0 || len(d.Out) > 0 || d.Ended {
			return false
		}
	}
	return true
}

// rows returns the rows of all deltas and the tokens in key order, one a key.
func (e *Epoch) rows() []Row {
	var all []Row
	for _, d := range e.Deltas {
		all = append(all, d.Rows...)
	}
	all = append(all, e.tokens...)
	slices.SortStableFunc(all, func(a, b Row) int { return bytes.Compare(a.Key, b.Key) })
	kept := all[:0]
	for i, r := range all {
		if i+1 == len(all) || !bytes.Equal(r.Key, all[i+1].Key) {
			kept = append(kept, r)
		}
	}
	return kept
}
