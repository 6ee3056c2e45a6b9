package plan

import (
	"fmt"
	"math"

	"github.com/wasmill/wasmill/host/jobspec"
)

// Make cuts a job into stages.
//
// Each source begins a stage. A step joins the stage of its inputs if it has
// no key, all of its inputs are in that one stage and it asks for no other
// number of tasks; otherwise it begins a stage of its own, and each of its
// inputs comes through an exchange. So a stage has one first step, and only
// that one reads exchanges.
//
// An error means that spec did not come from jobspec.
func Make(spec *jobspec.Spec) (*Plan, error) {
	order, err := sortSteps(spec)
	if err != nil {
		return nil, err
	}
	m := &maker{
		spec:  spec,
		plan:  &Plan{Spec: spec, Sinks: make([]Sink, len(spec.Sinks))},
		place: make([]place, len(spec.Steps)),
		stage: map[string]int{},
	}
	for i := range spec.Sources {
		m.addSource(i)
	}
	for _, i := range order {
		m.addStep(i)
	}
	if err := m.numberStores(); err != nil {
		return nil, err
	}
	for i := range spec.Steps {
		m.connectStep(i)
	}
	for i := range spec.Sinks {
		m.connectSink(i)
	}
	m.numberWriters()
	return m.plan, nil
}

// maker is the state of Make.
type maker struct {
	spec  *jobspec.Spec
	plan  *Plan
	place []place        // of the steps, by index in the spec
	stage map[string]int // of sources and steps, by name
}

// place is where a step stands in the plan.
type place struct{ stage, step int }

func (m *maker) addSource(i int) {
	s := m.spec.Sources[i]
	tasks := s.Tasks
	if tasks < 1 {
		tasks = max(1, m.spec.CPUs)
	}
	m.stage[s.Name] = len(m.plan.Stages)
	m.plan.Stages = append(m.plan.Stages, Stage{Name: s.Name, Source: i, Tasks: tasks, Partitions: tasks})
}

// addStep puts a step into a stage; those that it reads have theirs.
func (m *maker) addStep(i int) {
	s := &m.spec.Steps[i]
	at, ok := m.joins(s)
	if !ok {
		at = m.addStage(s)
	}
	stage := &m.plan.Stages[at]
	step := Step{Spec: i, Outs: make([][]Edge, max(1, len(s.Outputs)))}
	for _, r := range s.From {
		step.Inputs = append(step.Inputs, r.String())
	}
	m.stage[s.Name] = at
	m.place[i] = place{at, len(stage.Steps)}
	stage.Steps = append(stage.Steps, step)
}

// joins returns the stage that s belongs to, false if it begins one.
func (m *maker) joins(s *jobspec.Step) (int, bool) {
	if s.Key != nil {
		return 0, false
	}
	at := m.stage[s.From[0].Name]
	for _, r := range s.From[1:] {
		if m.stage[r.Name] != at {
			return 0, false
		}
	}
	return at, s.Tasks == 0 || s.Tasks == m.plan.Stages[at].Tasks
}

// addStage adds a stage that s begins.
func (m *maker) addStage(s *jobspec.Step) int {
	parts := s.Partitions
	if parts < 1 {
		parts = max(1, m.spec.CPUs, s.Tasks)
	}
	tasks := s.Tasks
	if tasks < 1 || tasks > parts {
		tasks = parts
	}
	m.plan.Stages = append(m.plan.Stages, Stage{Name: s.Name, Source: -1, Tasks: tasks, Partitions: parts})
	return len(m.plan.Stages) - 1
}

// numberStores gives each store its number.
func (m *maker) numberStores() error {
	id := 0
	for i, s := range m.spec.Steps {
		p := m.place[i]
		step := &m.plan.Stages[p.stage].Steps[p.step]
		for _, st := range s.Stores {
			if id > math.MaxUint16 {
				return fmt.Errorf("plan: job %s has more than %d stores", m.spec.Job, math.MaxUint16+1)
			}
			step.Stores = append(step.Stores, Store{Name: st.Name, ID: uint16(id)})
			id++
		}
	}
	return nil
}
