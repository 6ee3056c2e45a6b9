package tenant

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/wasmill/wasmill/host"
)

// Setup returns what a worker opens its job with. Sinks print to stdout, logs
// go to stderr; cancel ends the run for a cause that Options.Stopped is told.
type Setup func(r Request, stdout, stderr *os.File, cancel context.CancelCauseFunc) host.Options

// Main is a worker from its first call to the end, if this process is one,
// and returns whether it is: then main should return. Main comes first in the
// main of a binary that runs jobs in workers.
func Main(ctx context.Context, setup Setup) bool {
	if len(os.Args) != 2 || os.Args[1] != argument {
		return false
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{setup: setup, ctx: ctx, cancel: cancel, stdout: os.NewFile(printsTo, "stdout"), stderr: os.Stderr}
	defer s.stopOnSignal()()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         plugin.PluginSet{service: &jobPlugin{s}},
		Logger:          hclog.NewNullLogger(),
	})
	return true
}

// server serves one job. Open, Run and Close are called one after another,
// the other calls at any time.
type server struct {
	setup          Setup
	ctx            context.Context // of the process
	cancel         context.CancelCauseFunc
	stdout, stderr *os.File

	mu  sync.Mutex
	job *host.Job // mu: nil until it is open and when it is closed
}

// opened returns the job, nil if there is none.
func (s *server) opened() *host.Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.job
}

func (s *server) set(j *host.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.job = j
}

var errNotOpen = errors.New("the job is not open")

// Open opens the job.
func (s *server) Open(r Request, reply *Opened) error {
	if r.Heap > 0 {
		debug.SetMemoryLimit(r.Heap)
	}
	job, err := host.Open(s.ctx, s.setup(r, s.stdout, s.stderr, s.cancel))
	if reply.Failure = failure(err); err != nil {
		return nil
	}
	reply.Decision = job.Decision
	s.set(job)
	return nil
}

// Run runs the job to its end.
func (s *server) Run(_ Nothing, reply *Ran) error {
	job := s.opened()
	if job == nil {
		return errNotOpen
	}
	*reply = ran(job.Run(s.ctx))
	reply.Status = job.Status()
	if cause := context.Cause(s.ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		reply.Cause = cause.Error()
	}
	return nil
}

// Beat shows that the worker lives, and says what it does.
func (s *server) Beat(_ Nothing, reply *host.Status) error {
	if job := s.opened(); job != nil {
		*reply = job.Status()
	}
	return nil
}

// Stop asks Run to finish the epoch and return.
func (s *server) Stop(Nothing, *Nothing) error {
	if job := s.opened(); job != nil {
		job.Stop()
	}
	return nil
}

// Cancel ends Open or Run at once.
func (s *server) Cancel(Nothing, *Nothing) error {
	s.cancel(nil)
	return nil
}

// Close frees the job.
func (s *server) Close(_ Nothing, reply *Closed) error {
	if job := s.opened(); job != nil {
		s.set(nil)
		reply.Failure = failure(job.Close())
	}
	return nil
}

// stopOnSignal makes SIGTERM to the worker what Stop is, since the number of
// its process is the one that other runs of the job name. The function that
// it returns ends that.
func (s *server) stopOnSignal() (end func()) {
	came, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, syscall.SIGTERM)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-came:
				_ = s.Stop(0, nil)
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(came)
		close(done)
		wg.Wait()
	}
}
