package plan_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
)

func TestMake_RefusesBrokenSpecs(t *testing.T) {
	step := func(name string, from ...string) jobspec.Step {
		s := jobspec.Step{Name: name, Outputs: []string{"out"}}
		for _, f := range from {
			s.From = append(s.From, jobspec.Ref{Name: f})
		}
		return s
	}
	src := []jobspec.Source{{Name: "s", Tasks: 1}}
	for name, spec := range map[string]*jobspec.Spec{
		"round in a circle": {Sources: src, Steps: []jobspec.Step{step("a", "b"), step("b", "a")}},
		"neither a source":  {Sources: src, Steps: []jobspec.Step{step("a", "x")}},
		"reads nothing":     {Sources: src, Steps: []jobspec.Step{step("a")}},
		"a source and":      {Sources: src, Steps: []jobspec.Step{step("s", "s")}},
		"sink o reads":      {Sources: src, Sinks: []jobspec.Sink{{Name: "o", From: []jobspec.Ref{{Name: "x"}}}}},
	} {
		if _, err := plan.Make(spec); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestMake_NumbersStoresInTheOrderOfTheFile(t *testing.T) {
	p := parse(t, `
job: j
sources: {s: {walk: {root: .}}}
steps:
  b: {from: a, key: true, wasm: m.wasm, stores: {x: , y: }}
  a: {from: s, key: true, wasm: m.wasm, stores: {z: }}
`)
	got := map[string]uint16{}
	for _, st := range p.Stages {
		for _, step := range st.Steps {
			for _, s := range step.Stores {
				got[s.Name] = s.ID
			}
		}
	}
	if want := map[string]uint16{"x": 0, "y": 1, "z": 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Random jobs: what a plan promises holds in each.
func TestMake_Promises(t *testing.T) {
	for seed := range uint64(500) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 0)))
		p, err := plan.Make(spec)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := plan.Make(spec)
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("seed %d: two plans of one spec differ", seed)
		}
		if err := check(p); err != nil {
			var b strings.Builder
			_ = p.Text(&b)
			t.Fatalf("seed %d: %v\n%s", seed, err, b.String())
		}
	}
}

// randomSpec makes a job in which each step reads earlier ones, then shuffles it.
func randomSpec(rng *rand.Rand) *jobspec.Spec {
	spec := &jobspec.Spec{Job: "j", CPUs: 1 + rng.IntN(4)}
	var names []string
	for i := range 1 + rng.IntN(3) {
		name := fmt.Sprintf("src%d", i)
		spec.Sources = append(spec.Sources, jobspec.Source{Name: name, Tasks: 1 + rng.IntN(4)})
		names = append(names, name)
	}
	policy := func() jobspec.RecordPolicy {
		if rng.IntN(3) == 0 {
			return jobspec.RecordPolicy{Action: jobspec.DeadLetter, Sink: fmt.Sprintf("sink%d", rng.IntN(3))}
		}
		return jobspec.RecordPolicy{Action: jobspec.Fail}
	}
	for i := range rng.IntN(8) {
		s := jobspec.Step{Name: fmt.Sprintf("step%d", i), Outputs: []string{"x", "y"}[:1+rng.IntN(2)]}
		for _, j := range rng.Perm(len(names))[:1+rng.IntN(min(3, len(names)))] {
			s.From = append(s.From, jobspec.Ref{Name: names[j]})
		}
		switch rng.IntN(4) {
		case 0:
			s.Key = &jobspec.Key{Own: true}
		case 1:
			s.Key = &jobspec.Key{Pointer: "/k"}
		}
		if rng.IntN(3) == 0 {
			s.Tasks = 1 + rng.IntN(5)
		}
		if s.Key != nil && rng.IntN(2) == 0 {
			s.Partitions = max(1, s.Tasks) + rng.IntN(3)
		}
		if rng.IntN(3) == 0 {
			p := policy()
			s.OnError = &p
		}
		spec.Steps = append(spec.Steps, s)
		names = append(names, s.Name)
	}
	rng.Shuffle(len(spec.Steps), func(i, j int) { spec.Steps[i], spec.Steps[j] = spec.Steps[j], spec.Steps[i] })
	for i := range 3 {
		spec.Sinks = append(spec.Sinks, jobspec.Sink{Name: fmt.Sprintf("sink%d", i), From: []jobspec.Ref{{Name: names[rng.IntN(len(names))]}}})
	}
	spec.OnError.Record = policy()
	return spec
}

// check looks whether a plan holds what plan.go promises.
func check(p *plan.Plan) error {
	placed := map[int]int{}     // stage of each step
	reads := map[[2]int]bool{}  // step and stream that an edge leads to
	writes := map[[2]int]bool{} // stage and sink
	edges := func(stage int, all []plan.Edge, behind int) error {
		for _, e := range all {
			switch e.Kind {
			case plan.ToStep:
				if e.Index <= behind {
					return fmt.Errorf("stage %d: an edge goes backwards", stage)
				}
				reads[[2]int{p.Stages[stage].Steps[e.Index].Spec, int(e.Stream)}] = true
			case plan.ToExchange:
				if p.Exchanges[e.Index].Producer != stage {
					return fmt.Errorf("exchange %d has another producer than %d", e.Index, stage)
				}
			case plan.ToSink:
				writes[[2]int{stage, e.Index}] = true
			}
		}
		return nil
	}
	for i := range p.Stages {
		st := &p.Stages[i]
		if st.Tasks < 1 || st.Partitions < st.Tasks || st.Source >= 0 && st.Tasks != st.Partitions {
			return fmt.Errorf("stage %d has %d tasks, %d partitions", i, st.Tasks, st.Partitions)
		}
		if err := edges(i, st.Feeds, -1); err != nil {
			return err
		}
		for j, s := range st.Steps {
			if _, twice := placed[s.Spec]; twice {
				return fmt.Errorf("step %d is in two stages", s.Spec)
			}
			placed[s.Spec] = i
			for _, out := range s.Outs {
				if err := edges(i, out, j); err != nil {
					return err
				}
			}
			if t := p.Spec.Steps[s.Spec].Tasks; t > 0 && t != st.Tasks {
				return fmt.Errorf("step %d wants %d tasks, has %d", s.Spec, t, st.Tasks)
			}
		}
	}
	for i, x := range p.Exchanges {
		if x.Producer >= x.Consumer {
			return fmt.Errorf("exchange %d goes backwards", i)
		}
		st := &p.Stages[x.Consumer]
		if x.Target.Index != 0 || st.Source >= 0 || st.Partitions != x.Partitions || st.Steps[0].Spec != x.KeyStep {
			return fmt.Errorf("exchange %d does not lead to the first step of its stage", i)
		}
		reads[[2]int{x.KeyStep, int(x.Target.Stream)}] = true
	}
	for i, s := range p.Spec.Steps {
		if _, ok := placed[i]; !ok {
			return fmt.Errorf("step %d is in no stage", i)
		}
		for j := range s.From {
			if !reads[[2]int{i, j}] {
				return fmt.Errorf("nothing leads to input %d of step %d", j, i)
			}
		}
	}
	return checkWriters(p, writes)
}

func checkWriters(p *plan.Plan, writes map[[2]int]bool) error {
	for i := range p.Sinks {
		s := &p.Sinks[i]
		next := 0
		for _, w := range s.Writers {
			if w.First != next {
				return fmt.Errorf("sink %d: stage %d begins at writer %d, want %d", i, w.Stage, w.First, next)
			}
			next += p.Stages[w.Stage].Tasks
		}
		for stage := range p.Stages {
			letters := p.Stages[stage].Source >= 0 && p.Spec.OnError.Record.Sink == p.Spec.Sinks[i].Name
			for _, step := range p.Stages[stage].Steps {
				letters = letters || p.Spec.RecordPolicy(step.Spec).Sink == p.Spec.Sinks[i].Name
			}
			for _, x := range p.Exchanges {
				letters = letters || x.Producer == stage && x.Key != nil && p.Spec.RecordPolicy(x.KeyStep).Sink == p.Spec.Sinks[i].Name
			}
			n, ok := s.Writer(stage, 0)
			if want := letters || writes[[2]int{stage, i}]; ok != want {
				return fmt.Errorf("sink %d: stage %d writes: %v, want %v (%d)", i, stage, ok, want, n)
			}
		}
	}
	return nil
}
