// Package task is the loop of one task: it takes batches from a source or
// from other tasks, runs them through the steps of its stage, and seals what
// came of it at each barrier. host/DESIGN.md tells the way of a record.
package task

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/state/overlay"
)

// Config is what a task is made of. Queues and writers belong to the task
// from New on.
type Config struct {
	Base
	Stage      int                   // in the plan
	Index      int                   // of the task in its stage
	Source     plugins.Source        // of a source's stage, else nil
	Pool       *Pool                 // of a source's stage
	Inputs     []Input               // of other stages, in the plan's order
	Outputs    map[int][]*Queue      // by exchange: a queue to each task behind it
	Writers    map[int]*epoch.Writer // by sink of the spec, for those the stage writes to
	Modules    []guest.Module        // by step of the spec, nil where there is none
	State      *overlay.Overlay
	BatchLimit plugins.Limit // records and bytes of a batch, longest record
	BatchTime  time.Duration // CPU time that a batch is to take in a module; 0 = any
	RecordTime time.Duration // CPU time that a record may take in a module
	Limits     guest.Limits
}

// Input is a queue from one task of another stage.
type Input struct {
	Queue  *Queue
	Target plan.Edge
}

// Stats is what a task has done in this run. It is read from other goroutines.
type Stats struct {
	Records, Bytes, Splits atomic.Int64 // read from its source
	Steps                  []*StepStats // by step of the stage
}

type edge = plan.Edge

// Task runs the steps of one stage over its share of the partitions.
type Task struct {
	Config
	Stats Stats

	ctx     context.Context
	stage   *plan.Stage
	sealing bool // a delta is sealed and not known to be committed
	stateIn bool // it holds entries of the overlay
	source  *sourceInput
	inputs  []input
	turnOf  int // input to look at first
	steps   []*step
	outlets []*outlet      // by exchange of the plan, nil where the stage feeds it not
	sinks   []*sinkOut     // by sink of the spec, nil where the stage has no writer
	places  map[int]*place // by partition, of a stage behind exchanges
	faults  []epoch.Row
	ends    ends
	done    bool
	failed  int   // records that the policy got in this run
	bytes   int   // that the task holds, as counted at the gate
	turned  int   // bytes that steps have emitted of what look took in
	broken  error // the store failed during a call
}

// place is where a partition behind an exchange stands.
type place struct {
	next  int64 // position of the next record
	moved bool  // since the last seal
}

type input struct {
	Input
	marked bool // the mark of the open epoch has come
	ended  bool
}

// turn says what a task does after one look around.
type turn int

const (
	again turn = iota
	wait       // to be woken
	end        // of the input
)

// New makes a task. Run is its whole life.
func New(c Config) *Task {
	t := &Task{
		Config: c, stage: &c.Plan.Stages[c.Stage],
		outlets: make([]*outlet, len(c.Plan.Exchanges)), sinks: make([]*sinkOut, len(c.Plan.Sinks)), places: map[int]*place{},
	}
	for _, in := range c.Inputs {
		t.inputs = append(t.inputs, input{Input: in})
	}
	for ex, queues := range c.Outputs {
		t.outlets[ex] = newOutlet(&c.Plan.Exchanges[ex], queues)
	}
	for i, w := range c.Writers {
		t.sinks[i] = &sinkOut{writer: w}
	}
	for i := range t.stage.Steps {
		s := t.newStep(i)
		t.steps = append(t.steps, s)
		t.Stats.Steps = append(t.Stats.Steps, &s.stats)
	}
	if c.Source != nil {
		t.source = &sourceInput{
			t: t, index: t.stage.Source, name: c.Plan.Spec.Sources[t.stage.Source].Name,
			source: c.Source, pool: c.Pool, limit: c.BatchLimit, feeds: t.stage.Feeds, policy: c.Plan.Spec.RecordPolicy(-1),
		}
	}
	return t
}

func (t *Task) newStep(i int) *step {
	ps := &t.stage.Steps[i]
	spec := &t.Plan.Spec.Steps[ps.Spec]
	s := &step{
		t: t, index: i, spec: spec, module: t.Modules[ps.Spec],
		policy: t.Plan.Spec.RecordPolicy(ps.Spec), edges: ps.Outs,
	}
	s.stats.metrics = &s.metrics
	s.calls = &calls{s: s, outs: make([]*Batch, len(ps.Outs))}
	s.pace = pace{aim: t.BatchTime, most: t.BatchLimit.Records}
	s.init = guest.Init{
		Tenant: "default", Job: t.Plan.Spec.Job, Step: spec.Name, Task: t.Index, Partitions: t.stage.Partitions,
		Config: spec.Config, Inputs: ps.Inputs, Outputs: spec.Outputs, Stores: []string{}, Lookups: []string{}, Limits: t.Limits,
		Run: guest.Run{RecordTime: t.RecordTime},
	}
	for _, st := range ps.Stores {
		s.stores = append(s.stores, st.ID)
		s.init.Stores = append(s.init.Stores, st.Name)
	}
	return s
}

// Run takes the task from its checkpoint to its end. It returns nil when the
// task has ended and sealed, ctx's error when that ends, a *RecordFailure or
// *ModuleFailure, or what went wrong. Nothing is kept that was not committed.
func (t *Task) Run(ctx context.Context) (err error) {
	t.ctx = ctx
	defer func() { err = errors.Join(err, t.close()) }()
	t.yield()
	if err := t.restore(); err != nil {
		return err
	}
	if t.done {
		t.tell(item{kind: itemEnd})
		return nil
	}
	for _, s := range t.steps {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	for {
		t.yield()
		t.poll()
		if t.requested() && t.aligned() {
			t.seal()
			if t.done {
				return nil
			}
			for _, s := range t.steps {
				if err := s.recycled(ctx); err != nil {
					return err
				}
			}
			continue
		}
		next, err := t.look(ctx)
		if err != nil {
			return err
		}
		if next == wait {
			t.flush()
		}
		t.account()
		if next == again {
			if err := ctx.Err(); err != nil {
				return err
			}
			continue
		}
		if err := t.Waker.Wait(ctx); err != nil {
			return err
		}
	}
}

// restore reads the task's part of the checkpoint.
func (t *Task) restore() (err error) {
	if t.done, err = t.load(); err != nil {
		return err
	}
	t.ends.partitions = t.partitions()
	if t.source == nil {
		for _, p := range t.ends.partitions {
			n, err := t.Checkpoint.Next(t.Stage, p)
			if err != nil {
				return err
			}
			t.places[p] = &place{next: n}
		}
	}
	return t.ends.restore(t)
}

// partitions returns the partitions that the task owns.
func (t *Task) partitions() (own []int) {
	for p := t.Index; p < t.stage.Partitions; p += t.stage.Tasks {
		own = append(own, p)
	}
	return own
}

func (t *Task) close() error {
	var errs []error
	ctx := context.WithoutCancel(t.ctx)
	for _, s := range t.steps {
		errs = append(errs, s.discard(ctx))
	}
	if t.source != nil {
		errs = append(errs, t.source.close())
	}
	return errors.Join(errs...)
}

// poll looks whether the sealed delta is committed: then its entries of the
// store become clean ones, and its batches are free.
func (t *Task) poll() {
	if !t.sealing || t.Control.Committed.Load() < t.epoch-1 {
		return
	}
	t.sealing = false
	if t.stateIn {
		t.State.Committed()
		t.stateIn = false
	}
	for _, s := range t.sinks {
		if s != nil {
			s.committed()
		}
	}
}

// aligned reports whether the mark of the open epoch has come on all inputs.
func (t *Task) aligned() bool {
	for i := range t.inputs {
		if in := &t.inputs[i]; !in.marked && !in.ended {
			return false
		}
	}
	return true
}

// look does one piece of work, if there is one: an item that came from
// another task, a batch of the source, or a call of an end.
func (t *Task) look(ctx context.Context) (turn, error) {
	t.turned = 0
	ended := true // all inputs
	for k := range t.inputs {
		i := (t.turnOf + k) % len(t.inputs)
		in := &t.inputs[i]
		ended = ended && in.ended
		if in.ended || in.marked {
			continue
		}
		if it, ok := in.Queue.pop(); ok {
			t.turnOf = i + 1
			return again, t.receive(ctx, in, it)
		}
	}
	if !ended || t.done || t.Control.Stopping.Load() || !t.Gate.Open() {
		return wait, nil
	}
	if t.source != nil && !t.ends.begun {
		next, err := t.source.read(ctx)
		if next != end {
			return next, err
		}
		t.ends.begun = true
	}
	more, err := t.ends.call(ctx, t)
	if err != nil || more {
		return again, err
	}
	t.done = true
	t.tell(item{kind: itemEnd})
	t.Control.Ended()
	return again, nil
}

// receive takes an item of a queue.
func (t *Task) receive(ctx context.Context, in *input, it item) error {
	switch it.kind {
	case itemMark:
		in.marked = true
		return nil
	case itemEnd:
		in.ended = true
		return nil
	}
	t.bytes += it.batch.bytes() // the queue's count is the task's now, until account
	at := t.places[int(it.batch.Partition.Number)]
	for _, r := range it.batch.each() {
		putPosition(r, record.Position(at.next))
		at.next++
	}
	at.moved = true
	return t.enter(ctx, it.batch, in.Target)
}

// enter gives b, which becomes the receiver's, to the target of an edge.
func (t *Task) enter(ctx context.Context, b *Batch, e edge) error {
	switch e.Kind {
	case plan.ToStep:
		s := t.steps[e.Index]
		if s.module == nil {
			s.stats.Records.Add(int64(b.Count))
			return t.route(ctx, b, s.edges[0])
		}
		b.setInput(e.Stream)
		err := s.run(ctx, b)
		b.free()
		return err
	case plan.ToExchange:
		err := t.exchange(b, t.outlets[e.Index])
		b.free()
		return err
	default:
		t.counts.Out += int64(b.Count)
		t.sinks[e.Index].add(b)
		return nil
	}
}

// route gives b, which becomes the receiver's, to all edges.
func (t *Task) route(ctx context.Context, b *Batch, edges []edge) error {
	if b.Count == 0 || len(edges) == 0 {
		b.free()
		return nil
	}
	last := len(edges) - 1
	for _, e := range edges[:last] {
		if err := t.enter(ctx, b.clone(), e); err != nil {
			return err
		}
	}
	return t.enter(ctx, b, edges[last])
}

// exchange copies b's records to their partitions.
func (t *Task) exchange(b *Batch, o *outlet) error {
	for _, bad := range o.add(b) {
		v := b.slice(bad.index, bad.index+1)
		var rec record.Record
		wire.Next(v.Records, &rec)
		name, policy := t.Plan.Spec.Steps[o.ex.KeyStep].Name, t.Plan.Spec.RecordPolicy(o.ex.KeyStep)
		if err := t.reject(&rec, v.Origins[0], name, "", policy, Reason{Class: "bad_key", Text: bad.why}); err != nil {
			return err
		}
	}
	return nil
}

// flush sends what waits in outlets.
func (t *Task) flush() {
	for _, o := range t.outlets {
		if o != nil {
			o.flush()
		}
	}
}

// tell sends a mark or the end to all tasks behind exchanges.
func (t *Task) tell(it item) {
	for _, o := range t.outlets {
		if o != nil {
			o.tell(it)
		}
	}
}

// account counts the open delta at the gate, and what waits in outlets, in
// place of what the task took in: at no time does the gate see neither.
func (t *Task) account() {
	n := t.State.Bytes()
	for _, o := range t.outlets {
		if o != nil {
			n += o.bytes
		}
	}
	for _, s := range t.sinks {
		if s != nil {
			n += s.bytes
		}
	}
	if n != t.bytes {
		t.Gate.Add(n - t.bytes)
		t.bytes = n
	}
}

// seal ends the open epoch: the mark goes to all that this task feeds, the
// delta to the container, and the next epoch is open.
func (t *Task) seal() {
	t.poll()
	d := &epoch.Delta{Task: t.Number, Ended: t.done}
	if t.State.Bytes() > 0 {
		d.State = t.State.Seal()
		t.stateIn = true
	}
	t.sealing = true
	if t.source != nil {
		d.Rows = append(d.Rows, t.source.seal()...)
	}
	for _, p := range t.ends.partitions {
		if at := t.places[p]; at != nil && at.moved {
			d.Rows = append(d.Rows, epoch.Row{Key: epoch.NextKey(t.Stage, p), Value: epoch.AppendNext(nil, at.next)})
			at.moved = false
		}
	}
	d.Rows = append(d.Rows, t.faults...)
	t.faults = nil
	d.Rows = append(d.Rows, t.ends.seal()...)
	d.Rows = append(d.Rows, t.countRow()...)
	if t.done {
		d.Rows = append(d.Rows, epoch.Row{Key: epoch.EndedKey(t.Number), Value: []byte{1}})
	}
	for _, s := range t.sinks {
		if s == nil {
			continue
		}
		if o, ok := s.seal(t.done); ok {
			d.Out = append(d.Out, o)
		}
	}
	for _, s := range t.steps {
		if s.inst != nil {
			s.stats.Memory.Store(int64(s.inst.MemoryBytes()))
		}
	}
	if !t.done {
		t.tell(item{kind: itemMark})
	}
	for i := range t.inputs {
		t.inputs[i].marked = false
	}
	t.account()
	t.sealed(d)
}
