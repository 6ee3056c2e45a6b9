package plan

import (
	"slices"

	"github.com/wasmill/wasmill/host/jobspec"
)

// connectStep adds the edges and exchanges that lead to step i.
func (m *maker) connectStep(i int) {
	s := &m.spec.Steps[i]
	at := m.place[i]
	for stream, r := range s.From {
		target := Edge{Kind: ToStep, Index: at.step, Stream: uint16(stream)}
		producer := m.stage[r.Name]
		if producer == at.stage {
			m.connect(r, target)
			continue
		}
		m.connect(r, Edge{Kind: ToExchange, Index: len(m.plan.Exchanges)})
		m.plan.Exchanges = append(m.plan.Exchanges, Exchange{
			Name:       s.Name,
			From:       r.String(),
			Producer:   producer,
			Consumer:   at.stage,
			Key:        s.Key,
			KeyStep:    i,
			Partitions: m.plan.Stages[at.stage].Partitions,
			Target:     target,
		})
	}
}

// connectSink adds the edges that lead to sink i.
func (m *maker) connectSink(i int) {
	for _, r := range m.spec.Sinks[i].From {
		m.connect(r, Edge{Kind: ToSink, Index: i})
	}
}

// connect adds an edge to what r names.
func (m *maker) connect(r jobspec.Ref, e Edge) {
	for i := range m.spec.Steps {
		s := &m.spec.Steps[i]
		if s.Name != r.Name {
			continue
		}
		p := m.place[i]
		out := max(0, slices.Index(s.Outputs, r.Output)) // "" is the first
		outs := m.plan.Stages[p.stage].Steps[p.step].Outs
		outs[out] = append(outs[out], e)
		return
	}
	stage := &m.plan.Stages[m.stage[r.Name]]
	stage.Feeds = append(stage.Feeds, e)
}

// numberWriters finds the stages that may write to each sink.
func (m *maker) numberWriters() {
	for i := range m.plan.Sinks {
		first := 0
		for j := range m.plan.Stages {
			if !m.writes(j, i) {
				continue
			}
			s := &m.plan.Sinks[i]
			s.Writers = append(s.Writers, Writer{Stage: j, First: first})
			first += m.plan.Stages[j].Tasks
		}
	}
}

// writes reports whether tasks of a stage may write to a sink: by an edge, or
// dead letters of its source, of its steps, or of the keys that it computes
// for the steps behind it.
func (m *maker) writes(stage, sink int) bool {
	st := &m.plan.Stages[stage]
	to := func(e Edge) bool { return e.Kind == ToSink && e.Index == sink }
	letters := func(step int) bool {
		p := m.spec.RecordPolicy(step)
		return p.Action == jobspec.DeadLetter && p.Sink == m.spec.Sinks[sink].Name
	}
	if slices.ContainsFunc(st.Feeds, to) || st.Source >= 0 && letters(-1) {
		return true
	}
	for _, s := range st.Steps {
		if letters(s.Spec) {
			return true
		}
		for _, out := range s.Outs {
			if slices.ContainsFunc(out, to) {
				return true
			}
		}
	}
	return slices.ContainsFunc(m.plan.Exchanges, func(x Exchange) bool {
		return x.Producer == stage && x.Key != nil && letters(x.KeyStep)
	})
}
