package jobspec

import (
	"path/filepath"
	"time"
)

// draft is a Spec in the making, with the spots that later checks point to;
// they run in parallel with the Spec's lists.
type draft struct {
	*Spec
	sources  []spot
	steps    []spot
	sinks    []spot
	stepFrom [][]spot
	sinkFrom [][]spot
	fed      []bool   // whether a sink has a from:
	stores   []spot   // of each step's first store
	letters  []policy // all policies that name a sink
}

// job builds the Spec from the document. Faults are noted on the way; a part
// with a fault stays in the draft, so that what names it is not at fault too.
func (r *reader) job(root *node) *Spec {
	whole := spot{text: r.file}
	if root.kind != mapNode {
		r.fault(root.spot, msgType, title(""), "a map", root.describe())
		return nil
	}
	o := r.object(root, whole, "", jobFields(r.reg))
	d := &draft{Spec: &Spec{
		Job:       get[string](o, "job"),
		Guarantee: Guarantee(get[string](o, "guarantee")),
		Epoch:     get[time.Duration](o, "epoch"),
		Limits:    limits(get[*object](o, "limits")),
		StateDir:  get[string](o, "state_dir"),
		CPUs:      r.o.CPUs,
		Dir:       r.dir,
		File:      r.file.name,
	}}
	if r.o.StateDir != "" {
		d.StateDir = absolute(r.work, r.o.StateDir)
	} else if d.StateDir == "" {
		d.StateDir = filepath.Join(r.dir, ".wasmill", d.Job)
	}
	if e := get[*object](o, "on_error"); e != nil {
		d.OnError = OnError{
			Record: d.policy(e),
			Module: ModulePolicy(get[string](e, "module")),
			Source: SourcePolicy(get[string](e, "source")),
		}
	}
	for _, n := range get[[]named](o, "sources") {
		r.addSource(d, n)
	}
	for _, n := range get[[]named](o, "steps") {
		r.addStep(d, n)
	}
	for _, n := range get[[]named](o, "sinks") {
		r.addSink(d, n)
	}
	r.checkGraph(d)
	return d.Spec
}

func limits(o *object) Limits {
	if o == nil {
		return Limits{}
	}
	l := Limits{
		Memory:     get[int64](o, "memory"),
		Record:     get[int64](o, "max_record"),
		Emit:       get[int64](o, "max_emit"),
		Key:        get[int64](o, "max_key"),
		StateValue: get[int64](o, "max_value"),
		LogRate:    get[int64](o, "max_log"),
	}
	l.RecordTime, l.CPU = get[time.Duration](o, "record"), get[time.Duration](o, "cpu")
	if b := get[*object](o, "batch"); b != nil {
		l.Batch = Batch{Records: get[int64](b, "records"), Bytes: get[int64](b, "bytes"), Time: get[time.Duration](b, "time")}
	}
	l.Batch.defaults()
	return l
}

// policy returns the record policy of an on_error, and keeps a sink's name.
func (d *draft) policy(o *object) RecordPolicy {
	p := get[policy](o, "record")
	if p.Sink != "" {
		d.letters = append(d.letters, p)
	}
	return p.RecordPolicy
}

// refs splits references from their spots.
func (o *object) refs() (refs []Ref, spots []spot) {
	for _, r := range get[[]ref](o, "from") {
		refs = append(refs, r.Ref)
		spots = append(spots, r.spot)
	}
	return refs, spots
}
