// Package plan turns a Spec into the tasks of a job. It is pure: the same
// Spec gives the same Plan.
package plan

import (
	"slices"

	"github.com/wasmill/wasmill/host/jobspec"
)

// Plan is the graph of a job cut into stages. A stage is a run of steps
// between exchanges; each of its tasks runs all of its steps, so that records
// cross from step to step without leaving the task.
type Plan struct {
	Spec      *jobspec.Spec
	Stages    []Stage // in topological order
	Exchanges []Exchange
	Sinks     []Sink // by sink of the spec
}

// Stage is a set of steps that share their tasks.
type Stage struct {
	Name       string // of its source or first step
	Source     int    // index in Spec.Sources, -1 if it reads exchanges
	Tasks      int
	Partitions int    // at least Tasks; task t owns the partitions p with p % Tasks == t; behind a source as many as Tasks
	Steps      []Step // in topological order
	Feeds      []Edge // where the source's records go
}

// HasStores tells whether any of the stage's steps has a store.
func (s *Stage) HasStores() bool {
	return slices.ContainsFunc(s.Steps, func(st Step) bool { return len(st.Stores) > 0 })
}

// Step is a step of a stage.
type Step struct {
	Spec   int      // index in Spec.Steps
	Inputs []string // what it reads, in the order of from: the stream numbers
	Stores []Store
	Outs   [][]Edge // for each output where its records go
}

// Store is a store of a step with the number that its rows carry.
type Store struct {
	Name string
	ID   uint16 // unique in the job: 0, 1, … in the order of the file
}

// EdgeKind tells an edge's target.
type EdgeKind int

// The kinds of edges.
const (
	ToStep     EdgeKind = iota // Index in Stage.Steps; Stream is the input's number there
	ToExchange                 // Index in Plan.Exchanges
	ToSink                     // Index in Spec.Sinks and Plan.Sinks
)

// Edge is a way that records take.
type Edge struct {
	Kind   EdgeKind
	Index  int
	Stream uint16
}

// Exchange repartitions records by key between two stages.
type Exchange struct {
	Name       string       // step it leads to
	From       string       // what feeds it, as written in from
	Producer   int          // stage
	Consumer   int          // stage
	Key        *jobspec.Key // nil: the record's own key as it is, by source partition if null
	KeyStep    int          // index in Spec.Steps of the step it leads to, whose policy gets bad_key
	Partitions int          // of the consumer
	Target     Edge         // in the consumer's stage: its first step
}

// Sink is a sink and the stages that may write to it: a task of a stage has
// one writer for each sink its stage writes to, also if only dead letters go
// there.
type Sink struct {
	Writers []Writer // in the order of stages, dead letters included
}

// Writer is the range of writer numbers of one stage at a sink: task t of
// Stage is writer First + t.
type Writer struct {
	Stage, First int
}

// Writer returns the number at the sink of task t of a stage, false if the
// stage does not write to it.
func (s *Sink) Writer(stage, t int) (int, bool) {
	for _, w := range s.Writers {
		if w.Stage == stage {
			return w.First + t, true
		}
	}
	return 0, false
}

// Count returns how many writers the sink has.
func (s *Sink) Count(p *Plan) int {
	n := 0
	for _, w := range s.Writers {
		n += p.Stages[w.Stage].Tasks
	}
	return n
}
