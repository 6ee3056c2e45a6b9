package container_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wasmill/wasmill/host/jobspec"
)

// kind is what a step of the simulation does.
type kind int

const (
	pass   kind = iota // emits each record
	fork               // emits each to two outputs
	upsert             // counts by key and emits the count with each record
	total              // counts by key and emits the counts at the end
	third              // counts by key up to three by scans, then deletes all that it knows of the key
	hand               // a step without a module
	kinds
)

// fault is what a step does with a record whose value says "bad".
type fault int

const (
	none      fault = iota
	rejects         // by fail, after it wrote state
	traps           // by a trap, after it wrote state
	malformed       // by a malformed frame
	refuses         // by a status, after it wrote state
	faults
)

// class is what dead letters call a fault.
func (f fault) class() string { return [...]string{"", "rejected", "trap", "abi", "refused"}[f] }

type simStep struct {
	name       string
	kind       kind
	fault      fault
	sleeps     bool // 30 s, now and then
	moody      bool // fails whole batches that pass in parts
	aggregates bool // says that each batch as a whole caused what it emits
	bye        bool // emits a record at the end of each partition
	from       []jobspec.Ref
	byAlt      bool // keyed by the pointer /alt
	policy     jobspec.RecordPolicy
	partitions int // of its stage
}

func (s *simStep) stores() bool { return s.kind == upsert || s.kind == total || s.kind == third }

// graph is a random job.
type graph struct {
	seed    uint64
	sources []*tree
	steps   []*simStep
	sinks   map[string][]jobspec.Ref // by name
	policy  jobspec.RecordPolicy     // of the job
	spec    *jobspec.Spec
}

func newGraph(seed uint64) *graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := &graph{seed: seed, sinks: map[string][]jobspec.Ref{}, policy: jobspec.RecordPolicy{Action: jobspec.Skip}}
	switch rng.IntN(4) {
	case 0:
		g.policy = jobspec.RecordPolicy{Action: jobspec.DeadLetter, Sink: "dead"}
	case 1:
		g.policy = jobspec.RecordPolicy{Action: jobspec.Fail}
	}
	g.spec = &jobspec.Spec{Job: "sim", CPUs: 2, Guarantee: jobspec.ExactlyOnce, OnError: jobspec.OnError{Record: g.policy, Module: jobspec.ModuleRestart, Source: jobspec.SourceSkip}}
	// Of the last a run sees no end: a lost wake is not made good by a barrier.
	g.spec.Epoch = []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 5 * time.Second, 1000 * time.Hour}[rng.IntN(5)]
	bad := []int{10, 40, 1000}[rng.IntN(3)]
	var open []jobspec.Ref // what may be read
	for i := range 1 + rng.IntN(2) {
		name := "src" + strconv.Itoa(i)
		g.sources = append(g.sources, newTree(rng, name, 2, bad))
		g.spec.Sources = append(g.spec.Sources, jobspec.Source{Name: name, Tasks: 1 + rng.IntN(3)})
		open = append(open, jobspec.Ref{Name: name})
	}
	unread := slices.Clone(open)
	for i := range 1 + rng.IntN(5) {
		s := g.addStep(rng, i, open, &unread)
		g.steps = append(g.steps, s)
		outs := []jobspec.Ref{{Name: s.name}}
		if s.kind == fork {
			outs = append(outs, jobspec.Ref{Name: s.name, Output: "more"})
		}
		open, unread = append(open, outs...), append(unread, outs...)
	}
	for i, r := range unread {
		name := "sink" + strconv.Itoa(i%2)
		g.sinks[name] = append(g.sinks[name], r)
	}
	for _, name := range []string{"sink0", "sink1", "dead"} {
		if len(g.sinks[name]) > 0 || name == "dead" {
			g.spec.Sinks = append(g.spec.Sinks, jobspec.Sink{Name: name, From: g.sinks[name]})
		}
	}
	return g
}

func (g *graph) addStep(rng *rand.Rand, i int, open []jobspec.Ref, unread *[]jobspec.Ref) *simStep {
	s := &simStep{name: "s" + strconv.Itoa(i), kind: kind(rng.IntN(int(kinds))), policy: g.policy}
	for len(s.from) == 0 || len(s.from) < 3 && rng.IntN(3) == 0 {
		r := open[rng.IntN(len(open))]
		if len(*unread) > 0 && rng.IntN(2) == 0 {
			r = (*unread)[rng.IntN(len(*unread))]
		}
		if !slices.Contains(s.from, r) {
			s.from = append(s.from, r)
		}
		*unread = slices.DeleteFunc(*unread, func(u jobspec.Ref) bool { return u == r })
	}
	spec := jobspec.Step{Name: s.name, From: s.from, Outputs: []string{"out"}}
	switch s.kind {
	case fork:
		spec.Outputs = append(spec.Outputs, "more")
	case upsert, total:
		spec.Stores = []jobspec.Store{{Name: "counts"}}
	case third:
		spec.Stores = []jobspec.Store{{Name: "counts"}, {Name: "rows"}}
	}
	if s.stores() || rng.IntN(3) == 0 {
		s.byAlt = rng.IntN(3) == 0
		spec.Key = &jobspec.Key{Own: !s.byAlt}
		if s.byAlt {
			spec.Key.Pointer = "/alt"
		}
		spec.Partitions = 1 + rng.IntN(4)
		spec.Tasks = 1 + rng.IntN(spec.Partitions)
	} else if rng.IntN(4) == 0 {
		spec.Tasks = 1 + rng.IntN(3)
	}
	if rng.IntN(3) == 0 {
		s.policy = jobspec.RecordPolicy{Action: jobspec.DeadLetter, Sink: "dead"}
		spec.OnError = &s.policy
	}
	if s.kind != hand {
		spec.Wasm = "native"
		if rng.IntN(2) == 0 {
			s.fault = fault(rng.IntN(int(faults)))
		}
		s.sleeps, s.moody = rng.IntN(12) == 0, rng.IntN(8) == 0
		s.aggregates, s.bye = rng.IntN(8) == 0, s.kind != total && rng.IntN(4) == 0
	}
	g.spec.Steps = append(g.spec.Steps, spec)
	return s
}

// newTree makes a tree of which one record in bad is not as it should be, in
// each of several ways.
func newTree(rng *rand.Rand, name string, depth, bad int) *tree {
	t := &tree{name: name}
	for i := range rng.IntN(4) {
		s := &simSplit{id: name + "/f" + strconv.Itoa(i), large: map[int]bool{}, broken: -1}
		for n := range rng.IntN(30) {
			it := item{split: s.id, index: n, key: "k" + strconv.Itoa(rng.IntN(7)), alt: strconv.Quote("k" + strconv.Itoa(rng.IntN(7))), value: "ok"}
			switch rng.IntN(bad) {
			case 0:
				it.value = "bad"
			case 1:
				s.large[n] = true
			case 2:
				it.key = ""
			case 3:
				it.alt = []string{"", "null", "{}", `[1]`}[rng.IntN(4)]
			case 4:
				it.alt = []string{"7", "-1.5e3", "true", `"\u006b1"`, `"k\/1"`}[rng.IntN(5)]
			}
			s.records = append(s.records, it)
		}
		if rng.IntN(10) == 0 {
			s.broken = rng.IntN(len(s.records) + 1)
		}
		t.splits = append(t.splits, s)
	}
	if depth > 0 {
		for i := range rng.IntN(3) {
			t.dirs = append(t.dirs, newTree(rng, name+"/d"+strconv.Itoa(i), depth-1, bad))
		}
	}
	return t
}

func (g *graph) String() string {
	var b strings.Builder
	for i, s := range g.steps {
		sp := &g.spec.Steps[i]
		fmt.Fprintf(&b, "%+v key %+v tasks %d partitions %d\n", *s, sp.Key, sp.Tasks, sp.Partitions)
	}
	return b.String()
}
