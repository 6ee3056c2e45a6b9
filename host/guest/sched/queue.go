package sched

import "container/heap"

// queue is a heap of shares. A share is in one queue at most, which is in its
// field in. A nil queue is the place of those that are in none.
type queue struct {
	of     []*Share
	before func(a, b *Share) bool
}

// leastServed orders the shares of a level by virtual time, equals in turn.
func leastServed(a, b *Share) bool {
	return a.virtual < b.virtual || a.virtual == b.virtual && a.order < b.order
}

// emptyFirst orders shares by the instant at which they have credit again.
func emptyFirst(a, b *Share) bool { return a.empty < b.empty }

func (q *queue) add(sh *Share) {
	if q != nil {
		sh.in = q
		heap.Push(q, sh)
	}
}

func (q *queue) remove(sh *Share) {
	if q != nil {
		heap.Remove(q, sh.index)
		sh.in = nil
	}
}

// fix moves a share whose rank has changed.
func (q *queue) fix(sh *Share) {
	if q != nil {
		heap.Fix(q, sh.index)
	}
}

// The methods of heap.Interface.

func (q *queue) Len() int { return len(q.of) }

func (q *queue) Less(i, j int) bool { return q.before(q.of[i], q.of[j]) }

func (q *queue) Swap(i, j int) {
	q.of[i], q.of[j] = q.of[j], q.of[i]
	q.of[i].index, q.of[j].index = i, j
}

func (q *queue) Push(x any) {
	sh := x.(*Share)
	sh.index = len(q.of)
	q.of = append(q.of, sh)
}

func (q *queue) Pop() any {
	last := len(q.of) - 1
	sh := q.of[last]
	q.of[last] = nil
	q.of = q.of[:last]
	return sh
}
