package tenant

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
)

// Job is a job in a worker. Like a host.Job it is used by one goroutine, but
// for Stop and Status, which anyone may call.
type Job struct {
	o      Options
	spec   *jobspec.Spec
	began  time.Time
	cpu    time.Duration // of workers that have ended
	fails  int           // ends of workers in a row without a new epoch
	mark   uint64        // the epoch at the last of them
	opened bool          // a worker has opened the job

	mu       sync.Mutex
	worker   *worker        // mu: nil if there is none
	decision epoch.Decision // mu: of the last worker that has opened the job
	last     host.Status    // mu: of the worker
	before   host.Status    // mu: what workers before it have added
	stopping bool           // mu: Stop was called
	halt     chan struct{}  // closed by the first Stop
}

// Open reads the job file and opens the job in a worker. A fault in the file
// is a jobspec.Faults; what a worker says of it is a *RefusedError. The Job
// must be closed.
func Open(ctx context.Context, o Options) (*Job, error) {
	o.setDefaults()
	j := &Job{o: o, began: time.Now(), halt: make(chan struct{})}
	if !supported {
		return nil, errors.New("a job in a process of its own needs Linux: run it without --isolate")
	}
	spec, err := host.Load(o.File, o.Registry, o.Overrides)
	if err != nil {
		return nil, err
	}
	p, err := plan.Make(spec)
	if err != nil {
		return nil, err
	}
	j.spec = spec
	if j.o.Memory == 0 {
		j.o.Memory = need(p)
	}
	// The collector works harder in the last part of what the guests leave.
	j.o.Heap = int64(max(j.o.Memory/4, j.o.Memory-min(j.o.Memory, guests(p))))
	if err := j.attempt(ctx, func() error { return nil }); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Spec returns the job file.
func (j *Job) Spec() *jobspec.Spec { return j.spec }

// Decision returns what the state that was found asks for. After a worker's
// end that is Resume.
func (j *Job) Decision() epoch.Decision {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.decision
}

// CPU returns the CPU time of the workers that have ended.
func (j *Job) CPU() time.Duration { return j.cpu }

// Run goes on from the checkpoint like host.Job.Run, and if a worker ends
// before it is done, goes on in another one. After it the worker has ended.
func (j *Job) Run(ctx context.Context) (container.Outcome, error) {
	var r Ran
	err := j.attempt(ctx, func() error {
		r = Ran{}
		return j.worker.call(ctx, "Run", Nothing(0), &r)
	})
	var dead *death
	switch {
	case errors.As(err, &dead) && ctx.Err() != nil:
		return container.Outcome{}, ctx.Err()
	case errors.As(err, &dead) && j.isStopping():
		return container.Outcome{Stopped: true}, nil // behind the last commit
	case err != nil:
		return container.Outcome{}, err
	}
	j.note(r.Status)
	out, err := r.outcome()
	if r.Cause != "" && j.o.Stopped != nil {
		j.o.Stopped(r.Cause)
	}
	return out, errors.Join(err, j.Close())
}

// Stop asks Run to finish the epoch and return.
func (j *Job) Stop() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.stopping {
		j.stopping = true
		close(j.halt)
	}
	if j.worker != nil {
		j.worker.post("Stop")
	}
}

func (j *Job) isStopping() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stopping
}

// Status returns what the job was doing a moment ago. What host.Status counts
// since the last rollback is since the worker's start.
func (j *Job) Status() host.Status {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.last
	s.Epoch = max(s.Epoch, j.before.Epoch)
	s.Epochs += j.before.Epochs
	s.Commit += j.before.Commit
	s.Elapsed = time.Since(j.began)
	return s
}

func (j *Job) note(s host.Status) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = s
}

// Close ends the worker. Run must have returned. It may be called again.
func (j *Job) Close() error {
	if j.worker == nil {
		return nil
	}
	var c Closed
	err := j.worker.wait(j.worker.begin("Close", Nothing(0), &c))
	if dead := j.bury(); err != nil {
		return fmt.Errorf("closing the job: the worker: %w", dead)
	}
	return c.Failure.err()
}
