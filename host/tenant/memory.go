package tenant

import "github.com/wasmill/wasmill/host/plan"

// base is what a worker needs beside its guests, in bytes: the store's caches
// and tables, queues and open deltas, compiled code, buffers of connectors.
const base = 512 << 20

// need returns the memory of a worker, in bytes: for each task of each stage
// and each step with a module in it limits.memory, and 512 MiB.
func need(p *plan.Plan) uint64 { return guests(p) + base }

// guests returns the memory that the instances of a job may take, in bytes.
func guests(p *plan.Plan) uint64 {
	n := 0
	for _, stage := range p.Stages {
		for _, step := range stage.Steps {
			if p.Spec.Steps[step.Spec].Wasm != "" {
				n += stage.Tasks
			}
		}
	}
	return uint64(n) * uint64(p.Spec.Limits.Memory)
}
