package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/tenant"
)

// isolation is what the flags say about running a job in a process of its own.
type isolation struct {
	on        bool
	memory    sizeFlag
	cpus      float64
	heartbeat time.Duration
}

func (i *isolation) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&i.on, "isolate", false, "run the job in a process of its own, which is started again when it dies")
	cmd.Flags().Var(&i.memory, "isolate-memory", "memory of that process (default: limits.memory for each task of each step, and 512MiB)")
	cmd.Flags().Float64Var(&i.cpus, "isolate-cpus", 0, "`CPUS` that the process may use, where control groups can be made (default: all)")
	cmd.Flags().DurationVar(&i.heartbeat, "isolate-heartbeat", 10*time.Second, "the process is killed if it does not answer for this `TIME`")
}

// isolateMemoryLeast is below what a worker needs for itself.
const isolateMemoryLeast = 32 << 20

// check refuses what the flags of cmd cannot mean.
func (i *isolation) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	for _, name := range []string{"isolate-memory", "isolate-cpus", "isolate-heartbeat"} {
		if given(name) && !i.on {
			return &usageError{fmt.Errorf("--%s is for a job in a process of its own: give --isolate as well", name)}
		}
	}
	switch {
	case given("isolate-memory") && i.memory < isolateMemoryLeast:
		return &usageError{fmt.Errorf("--isolate-memory %s is too little for the process itself: give %s at least", i.memory.String(), jobspec.FormatSize(isolateMemoryLeast))}
	case given("isolate-cpus") && !(i.cpus >= 0.01 && i.cpus <= 10_000):
		return &usageError{fmt.Errorf("--isolate-cpus %v is not between 0.01 and 10000", i.cpus)}
	case given("isolate-heartbeat") && i.heartbeat < 100*time.Millisecond:
		return &usageError{fmt.Errorf("--isolate-heartbeat %v is too short for an answer: give 100ms at least", i.heartbeat)}
	}
	return nil
}

// open opens the job of r in a worker. What libraries log about the
// connection to it is of interest only to whoever looks for a fault there.
func (i *isolation) open(ctx context.Context, r *runner, scr *screen, cancel context.CancelCauseFunc) (job, error) {
	level := r.level.value
	if level == "auto" && scr.term {
		level = "warn" // the worker has no terminal
	}
	logger := newLogger(scr, level)
	log.SetFlags(0)
	log.SetOutput(debugLines{logger})
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = null // one of them does not ask; scr has the real one
	}
	stdout, ok := r.stdout.(*os.File)
	if !ok {
		stdout = os.Stdout
	}
	j, err := tenant.Open(ctx, tenant.Options{
		Request:  tenant.Request{File: r.file, Overrides: r.flags.over, Fresh: r.fresh, LogLevel: level},
		Registry: registry(r.stdout), Stdout: stdout, Stderr: scr, Log: logger,
		Memory: uint64(i.memory), CPUs: i.cpus, Heartbeat: i.heartbeat,
		Stopped: func(cause string) {
			if cause == errReaderGone.Error() {
				cancel(errReaderGone)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return isolatedJob{j}, nil
}

// workerOptions is the tenant.Setup of this binary.
func workerOptions(r tenant.Request, stdout, stderr *os.File, cancel context.CancelCauseFunc) host.Options {
	log.SetOutput(debugLines{newLogger(newScreen(stderr), r.LogLevel)})
	return jobOptions(r, stdout, newScreen(stderr), cancel)
}

// isolatedJob is a job in a worker.
type isolatedJob struct{ *tenant.Job }

func (j isolatedJob) CPU() time.Duration { return cpuTime() + j.Job.CPU() }

// sizeFlag is a flag whose value is a size in bytes, 0 if it is not given.
type sizeFlag uint64

func (s *sizeFlag) Type() string { return "SIZE" }

func (s *sizeFlag) String() string {
	if *s == 0 {
		return ""
	}
	return jobspec.FormatSize(int64(*s))
}

func (s *sizeFlag) Set(text string) error {
	n, err := jobspec.ParseSize(text)
	if err != nil {
		return err
	}
	*s = sizeFlag(n)
	return nil
}
