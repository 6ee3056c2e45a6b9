// Package host is the façade of the engine: it takes a job file to the end
// of its input. host/DESIGN.md tells how the parts below work together.
package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state"
)

// Options are what a run is told beside its job file.
type Options struct {
	File      string
	Overrides jobspec.Overrides
	Registry  *plugins.Registry
	Fresh     bool   // drop state and output first
	CacheDir  string // of built and compiled modules; "" = wasmill in the user's cache directory
	Log       *slog.Logger

	// Building is called before a module is built from source, which may take
	// seconds; nil = nothing.
	Building func(dir string)

	// Reads is called for each directory whose source decides what a module is
	// built from, by several goroutines; nil = nothing.
	Reads func(dir string)

	Hooks container.Hooks // of tests
}

// Job is a job that is ready to run. It is used by one goroutine, but for
// Stop and Status, which anyone may call.
type Job struct {
	Spec     *jobspec.Spec
	Plan     *plan.Plan
	Decision epoch.Decision // what the state that was found asks for

	o         Options
	engine    *guest.Engine
	modules   []guest.Module
	sources   []plugins.Source
	sinks     []plugins.Sink
	container *container.Container
	identity  map[string]string
	store     *stateDir
	blank     bool // no run has been here before
	began     time.Time

	mu       sync.Mutex
	progress []plugins.Progress // by source
}

// Open reads the job file, builds and compiles modules, and looks at the
// state that is there. A fault in the file is a jobspec.Faults. The Job must
// be closed.
func Open(ctx context.Context, o Options) (*Job, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	j := &Job{o: o, began: time.Now()}
	if err := j.open(ctx); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func (j *Job) open(ctx context.Context) (err error) {
	if j.Spec, err = Load(j.o.File, j.o.Registry, j.o.Overrides); err != nil {
		return err
	}
	if j.Plan, err = plan.Make(j.Spec); err != nil {
		return err
	}
	// The store opens while the modules compile.
	j.store = newStateDir(j.Spec.StateDir)
	opened := make(chan error, 1)
	go func() { opened <- j.store.wait(ctx) }()
	err = j.compile(ctx)
	if err := errors.Join(err, j.store.explain(<-opened)); err != nil {
		return err
	}
	digests := map[string]string{}
	for i, m := range j.modules {
		if m != nil {
			digests[j.Spec.Steps[i].Name] = m.Digest()
		}
	}
	j.identity = j.Plan.Identity(digests)
	if err := j.decide(); err != nil || j.Decision == epoch.Nothing {
		return err
	}
	if err := j.connect(); err != nil {
		return err
	}
	return j.start(ctx)
}

// decide finds out what is to be done with the state that is there.
func (j *Job) decide() error {
	facts, err := epoch.Checkpoint{Store: j.store.first}.Facts()
	if err != nil {
		return err
	}
	facts.Wanted, facts.Fresh = j.identity, j.o.Fresh
	j.blank = !facts.Exists
	if j.Decision, err = epoch.Resolve(facts); err != nil {
		return fmt.Errorf("job %s, state directory %s: %w", j.Spec.Job, j.Spec.StateDir, err)
	}
	return nil
}

// connect makes the sources and sinks.
func (j *Job) connect() error {
	avoid := []string{j.Spec.StateDir}
	for _, s := range j.Spec.Sinks {
		for _, f := range s.Kind.Fields {
			if f.Type == plugins.Path {
				avoid = append(avoid, s.Config.String(f.Name))
			}
		}
	}
	j.progress = make([]plugins.Progress, len(j.Spec.Sources))
	for i, s := range j.Spec.Sources {
		src, err := s.Kind.New(plugins.Env{Job: j.Spec.Job, Name: s.Name, Avoid: avoid, Progress: func(p plugins.Progress) {
			j.mu.Lock()
			j.progress[i] = p
			j.mu.Unlock()
		}}, s.Config)
		if err != nil {
			return fmt.Errorf("source %s: %w", s.Name, err)
		}
		j.sources = append(j.sources, src)
	}
	for _, s := range j.Spec.Sinks {
		sink, err := s.Kind.New(plugins.Env{Job: j.Spec.Job, Name: s.Name}, s.Config)
		if err != nil {
			return fmt.Errorf("sink %s: %w", s.Name, err)
		}
		j.sinks = append(j.sinks, sink)
	}
	return nil
}

// spare refuses to run without state over what somebody else's sinks have
// left: recovery would take it for leftovers of this job and remove it.
func (j *Job) spare(ctx context.Context) error {
	for i, s := range j.sinks {
		name := j.Spec.Sinks[i].Name
		f, ok := s.(plugins.Finder)
		if !ok {
			continue
		}
		switch what, err := f.Found(ctx); {
		case err != nil:
			return fmt.Errorf("sink %s: %w", name, err)
		case what != "":
			return &OccupiedError{Sink: name, What: what}
		}
	}
	return nil
}

// frameOverhead is what a frame takes beside the keys, values and headers of
// its records at most: headers, padding and the name of the partition.
const frameOverhead = 64 << 10

// start drops what --fresh drops and makes the container.
func (j *Job) start(ctx context.Context) error {
	if j.o.Fresh {
		for i, s := range j.sinks {
			if err := s.Drop(ctx); err != nil {
				return fmt.Errorf("sink %s: %w", j.Spec.Sinks[i].Name, err)
			}
		}
		if err := epoch.Drop(j.store.first); err != nil {
			return err
		}
	} else if j.blank {
		if err := j.spare(ctx); err != nil {
			return err
		}
	}
	l := &j.Spec.Limits
	logRate := int(l.LogRate)
	if logRate == 0 {
		logRate = -1 // nothing, where 0 would be the default
	}
	j.container = container.New(container.Config{
		Plan: j.Plan, Identity: j.identity, Sources: j.sources, Sinks: j.sinks, Modules: j.modules,
		Open: func() (state.Store, error) { return j.store.next() }, Log: j.o.Log, Hooks: j.o.Hooks,
		Limits: guest.Limits{
			Memory: uint64(l.Memory), Record: int(l.Record), Batch: int(max(l.Batch.Bytes, l.Record)) + frameOverhead,
			Emit: int(l.Emit), Key: int(l.Key),
			StateValue: int(l.StateValue), LogRate: logRate,
		},
		BatchTime: l.Batch.Time, RecordTime: l.RecordTime,
		Batch: plugins.Limit{Records: int(l.Batch.Records), Bytes: int(l.Batch.Bytes), Record: int(l.Record)},
	})
	return nil
}

// Run goes on from the checkpoint until the input has ended, Stop was called,
// ctx ended or something failed; see container.Container.Run. On a job that
// has ended it does nothing.
func (j *Job) Run(ctx context.Context) (container.Outcome, error) {
	if j.Decision == epoch.Nothing {
		return container.Outcome{Finished: true}, nil
	}
	out, err := j.container.Run(ctx)
	if err == nil && j.Spec.OnError.Source == jobspec.SourceFail && out.Counts.Faults > 0 {
		err = ErrPartial
	}
	return out, j.store.explain(err)
}

// Stop asks Run to finish the epoch and return.
func (j *Job) Stop() {
	if j.container != nil {
		j.container.Stop()
	}
}

// Status is what a job is doing.
type Status struct {
	container.Status
	Elapsed time.Duration      // since Open
	Found   []plugins.Progress // by source
}

// Status returns what the job is doing now.
func (j *Job) Status() Status {
	s := Status{Elapsed: time.Since(j.began)}
	if j.container != nil {
		s.Status = j.container.Status()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s.Found = append(s.Found, j.progress...)
	return s
}

// Close frees everything. Run must have returned.
func (j *Job) Close() error {
	var errs []error
	for _, s := range j.sources {
		errs = append(errs, s.Close())
	}
	for _, s := range j.sinks {
		errs = append(errs, s.Close())
	}
	ctx := context.Background()
	for _, m := range j.modules {
		if m != nil {
			errs = append(errs, m.Close(ctx))
		}
	}
	if j.engine != nil {
		errs = append(errs, j.engine.Close(ctx))
	}
	if j.store != nil {
		errs = append(errs, j.store.close())
	}
	return errors.Join(errs...)
}
