package plan

import (
	"fmt"

	"github.com/wasmill/wasmill/host/jobspec"
)

// sortSteps returns the indices of the steps in an order in which each comes
// behind what it reads; among those that could come next, the first in the
// file does.
func sortSteps(spec *jobspec.Spec) ([]int, error) {
	known := map[string]bool{} // names that are ordered already
	steps := map[string]bool{}
	for _, s := range spec.Sources {
		known[s.Name] = true
	}
	for _, s := range spec.Steps {
		steps[s.Name] = true
		if len(s.From) == 0 {
			return nil, fmt.Errorf("plan: step %s reads nothing", s.Name)
		}
		if known[s.Name] {
			return nil, fmt.Errorf("plan: %s is a source and a step", s.Name)
		}
	}
	check := func(refs []jobspec.Ref, by string) error {
		for _, r := range refs {
			if !known[r.Name] && !steps[r.Name] {
				return fmt.Errorf("plan: %s reads %s, which is neither a source nor a step", by, r.Name)
			}
		}
		return nil
	}
	for _, s := range spec.Steps {
		if err := check(s.From, "step "+s.Name); err != nil {
			return nil, err
		}
	}
	for _, s := range spec.Sinks {
		if err := check(s.From, "sink "+s.Name); err != nil {
			return nil, err
		}
	}
	ready := func(s *jobspec.Step) bool {
		for _, r := range s.From {
			if !known[r.Name] {
				return false
			}
		}
		return true
	}
	order := make([]int, 0, len(spec.Steps))
	done := make([]bool, len(spec.Steps))
	for len(order) < len(spec.Steps) {
		next := -1
		for i := range spec.Steps {
			if !done[i] && ready(&spec.Steps[i]) {
				next = i
				break
			}
		}
		if next < 0 {
			return nil, fmt.Errorf("plan: the steps of job %s go round in a circle", spec.Job)
		}
		done[next] = true
		known[spec.Steps[next].Name] = true
		order = append(order, next)
	}
	return order, nil
}
