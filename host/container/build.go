package container

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/host/task"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state/overlay"
)

// build makes tasks, queues and writers from plan and checkpoint. The
// enumerators come first, so that a reader's word on a split counts more
// than that of the enumerator that found it in the same epoch.
func (r *run) build(ctx context.Context) error {
	c := &r.k.c
	generation, err := epoch.Open(r.store, c.Identity)
	if err != nil {
		return err
	}
	r.gate = task.NewGate(int64(c.Unsealed), r.tick)
	r.control.Sealed = func(d *epoch.Delta) {
		r.mu.Lock()
		r.deltas = append(r.deltas, d)
		r.mu.Unlock()
		r.waker.Wake()
	}
	r.control.Ended = func() { r.ended.Add(1); r.waker.Wake() }
	r.control.AtCut = func() { r.cuts.Add(-1); r.waker.Wake() }
	for _, cuts := range r.k.cuts {
		r.cuts.Add(int32(len(cuts)))
	}
	r.cutting = r.cuts.Load() > 0 // before a task can come to one
	r.control.Read, r.control.Yield = c.Hooks.Read, c.Hooks.Yield
	r.committer = epoch.Committer{Decider: &epoch.Embedded{Store: r.store}, At: c.Hooks.At, Decided: r.decided}
	if c.Hooks.Decider != nil {
		r.committer.Decider = c.Hooks.Decider(r.store)
	}

	pools, err := r.pools()
	if err != nil {
		return err
	}
	writers, err := r.openWriters(ctx, generation)
	if err != nil {
		return err
	}
	r.settled.Store(true)
	last, err := r.checkpoint.Epoch()
	if err != nil {
		return err
	}
	r.buildTasks(pools, writers, last == 0)
	for n := range r.wakers {
		ended, err := r.checkpoint.Ended(n)
		if err != nil {
			return err
		}
		if ended {
			r.ended.Add(1)
		} else {
			r.live++
		}
	}
	return nil
}

// base makes what task number n is built on.
func (r *run) base() task.Base {
	n := len(r.wakers)
	w := task.NewWaker()
	r.wakers = append(r.wakers, w)
	return task.Base{
		Number: n, Plan: r.k.c.Plan, Checkpoint: r.checkpoint, Control: &r.control, Waker: w, Gate: r.gate,
		Log: r.k.c.Log.With("job", r.k.c.Plan.Spec.Job),
	}
}

// pools makes a pool for each source with the splits that wait to be read,
// those already begun first.
func (r *run) pools() ([]*task.Pool, error) {
	var pools []*task.Pool
	for i := range r.k.c.Sources {
		splits, err := r.checkpoint.Splits(i)
		if err != nil {
			return nil, err
		}
		begun := func(s epoch.Split) int {
			if s.Next > s.Start {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(splits, func(a, b epoch.Split) int { return cmp.Compare(begun(a), begun(b)) })
		pools = append(pools, task.NewPool(splits, r.k.c.Pending, r.k.cuts[i]))
	}
	return pools, nil
}

// openWriters opens all writers of all sinks: by sink and number.
func (r *run) openWriters(ctx context.Context, generation uint64) ([][]*epoch.Writer, error) {
	c := &r.k.c
	clean, err := r.checkpoint.Clean()
	if err != nil {
		return nil, err
	}
	all := make([][]*epoch.Writer, len(c.Plan.Sinks))
	for i, s := range c.Plan.Sinks {
		name := c.Plan.Spec.Sinks[i].Name
		for n := range s.Count(c.Plan) {
			token, err := r.checkpoint.Token(i, n)
			if err != nil {
				return nil, err
			}
			w, err := c.Sinks[i].Open(ctx, plugins.Writer{Job: c.Plan.Spec.Job, Sink: name, Task: n, Generation: generation}, token, clean)
			if err != nil {
				return nil, fmt.Errorf("sink %s, writer %d: %w", name, n, err)
			}
			ew := &epoch.Writer{SinkWriter: w, Sink: i, Number: n, Name: fmt.Sprintf("sink %s, writer %d", name, n)}
			all[i] = append(all[i], ew)
			r.writers = append(r.writers, ew)
		}
	}
	return all, nil
}

func (r *run) buildTasks(pools []*task.Pool, writers [][]*epoch.Writer, fresh bool) {
	c := &r.k.c
	for i := range c.Sources {
		r.finders = append(r.finders, &task.Enumerator{Base: r.base(), Index: i, Source: c.Sources[i], Pool: pools[i]})
	}
	configs := make([][]task.Config, len(c.Plan.Stages))
	stateful := 0 // tasks that share the cache
	for s := range c.Plan.Stages {
		if stage := &c.Plan.Stages[s]; stage.HasStores() {
			stateful += stage.Tasks
		}
	}
	for s := range c.Plan.Stages {
		stage := &c.Plan.Stages[s]
		for i := range stage.Tasks {
			tc := task.Config{
				Base: r.base(), Stage: s, Index: i, Modules: c.Modules, Outputs: map[int][]*task.Queue{}, Writers: map[int]*epoch.Writer{},
				State: overlay.New(r.store, c.CacheBytes/max(stateful, 1)), BatchLimit: c.Batch, BatchTime: c.BatchTime, RecordTime: c.RecordTime, Limits: c.Limits,
			}
			if fresh {
				tc.State.Empty()
			}
			if stage.Source >= 0 {
				tc.Source, tc.Pool = c.Sources[stage.Source], pools[stage.Source]
			}
			for k, sink := range c.Plan.Sinks {
				if n, ok := sink.Writer(s, i); ok {
					tc.Writers[k] = writers[k][n]
				}
			}
			configs[s] = append(configs[s], tc)
		}
	}
	for x := range c.Plan.Exchanges {
		r.connect(&c.Plan.Exchanges[x], x, configs)
	}
	readers := make([][]*task.Waker, len(c.Sources))
	var all []*task.Waker
	for s := range configs {
		for _, tc := range configs[s] {
			r.tasks = append(r.tasks, task.New(tc))
			all = append(all, tc.Waker)
			if src := c.Plan.Stages[s].Source; src >= 0 {
				readers[src] = append(readers[src], tc.Waker)
			}
		}
	}
	r.gate.Attach(all)
	for i, p := range pools {
		p.Attach(r.finders[i].Waker, readers[i])
	}
}

// connect puts a queue between each pair of tasks on the two sides of an exchange.
func (r *run) connect(ex *plan.Exchange, x int, configs [][]task.Config) {
	consumers := configs[ex.Consumer]
	for p := range configs[ex.Producer] {
		producer := &configs[ex.Producer][p]
		for i := range consumers {
			q := task.NewQueue(r.k.c.Queue, r.gate, consumers[i].Waker)
			producer.Outputs[x] = append(producer.Outputs[x], q)
			consumers[i].Inputs = append(consumers[i].Inputs, task.Input{Queue: q, Target: ex.Target})
		}
	}
}
