package main

import (
	"context"
	"time"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
)

// job is an open job, wherever it runs: in this process (localJob) or in one
// of its own (tenant.Job).
type job interface {
	Spec() *jobspec.Spec
	Decision() epoch.Decision
	Run(ctx context.Context) (container.Outcome, error)
	Stop()
	Status() host.Status
	CPU() time.Duration // of all processes that run it
	Close() error
}

type localJob struct {
	*host.Job
	before time.Duration // CPU time that the process took for something else
}

func (l localJob) Spec() *jobspec.Spec      { return l.Job.Spec }
func (l localJob) Decision() epoch.Decision { return l.Job.Decision }
func (l localJob) CPU() time.Duration       { return cpuTime() - l.before }
