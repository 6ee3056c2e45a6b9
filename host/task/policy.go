package task

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wasmill/wasmill/abi/record"
	"github.com/wasmill/wasmill/abi/wire"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/jobspec"
)

// Reason is why a record failed: a class for machines, a code if the guest
// gave one, a text for people.
type Reason struct {
	Class string // rejected, no_key, bad_key, or a kind of trap, or the code of a source
	Code  int32
	Text  string
	Err   error // the trap, if there is one
}

// String returns the class and the text; that of a trap begins with its class.
func (r Reason) String() string {
	if r.Err != nil {
		return r.Text
	}
	return r.Class + ": " + r.Text
}

func guestFailure(f failure) Reason {
	if f.keyless {
		return Reason{Class: "no_key", Text: f.message}
	}
	return Reason{Class: "rejected", Code: f.code, Text: f.message}
}

func trapFailure(err error) Reason {
	kind, text := trapKind(err), err.Error()
	if kind == guest.TrapTimeout {
		text += " (limits.record)"
	}
	return Reason{Class: string(kind), Text: text, Err: err}
}

// RecordFailure ends a run because a record failed and the policy is fail.
// What came before it commits; the next run starts with it.
type RecordFailure struct {
	Job, Step, Module string
	Origin            Origin
	Source            string
	Reason            Reason
}

func (e *RecordFailure) Error() string {
	at := "a record made by end"
	if p := e.Origin.Part; p != nil {
		at = fmt.Sprintf("source %s, partition %q, position %d", e.Source, p.Name, e.Origin.Position())
		if e.Origin.Aggregate() {
			at = "a record aggregated from a batch that begins at " + at
		}
	}
	return fmt.Sprintf("job %s, step %s%s: %s: %s (on_error.record is fail; see skip and dead_letter)", e.Job, e.Step, inModule(e.Module), at, e.Reason)
}

func (e *RecordFailure) Unwrap() error { return e.Reason.Err }

// ModuleFailure ends a run because a module does not work.
type ModuleFailure struct {
	Step, Module string
	InARow       int
	Err          error
}

func (e *ModuleFailure) Error() string {
	if e.InARow > 1 {
		return fmt.Sprintf("step %s%s: parked after %d faults in a row: %v", e.Step, inModule(e.Module), e.InARow, e.Err)
	}
	return fmt.Sprintf("step %s%s: %v", e.Step, inModule(e.Module), e.Err)
}

// inModule names a module as much as people need to tell it from others.
func inModule(digest string) string {
	const short = len("sha256:") + 12
	if digest == "" {
		return ""
	}
	return ", module " + digest[:min(short, len(digest))]
}

func (e *ModuleFailure) Unwrap() error { return e.Err }

// reject gives record i of b to the step's policy.
func (s *step) reject(b *Batch, i int, why Reason) error {
	s.stats.Failed.add(why.Class)
	v := b.slice(i, i+1)
	var rec record.Record
	wire.Next(v.Records, &rec)
	return s.t.reject(&rec, v.Origins[0], s.spec.Name, s.module.Digest(), s.policy, why)
}

// reject does with a failed record what a policy says.
func (t *Task) reject(rec *record.Record, from Origin, step, module string, policy jobspec.RecordPolicy, why Reason) error {
	switch policy.Action {
	case jobspec.Skip:
		t.counts.Skipped++
		t.logFailed("record skipped", from, step, module, why)
		return nil
	case jobspec.DeadLetter:
		t.counts.DeadLetter++
		t.logFailed("record to dead letters", from, step, module, why)
		t.deadLetter(rec, from, step, module, policy.Sink, why)
		return nil
	}
	return &RecordFailure{Job: t.Plan.Spec.Job, Step: step, Module: module, Origin: from, Source: t.sourceName(from), Reason: why}
}

func (t *Task) sourceName(from Origin) string {
	if from.Part == nil {
		return ""
	}
	return t.Plan.Spec.Sources[from.Part.Source].Name
}

// logFailed logs the first ten failed records of a task in this run, and then
// every one whose number is a power of ten: the counts are in the summary.
func (t *Task) logFailed(what string, from Origin, step, module string, why Reason) {
	t.failed++
	n := t.failed
	for n%10 == 0 {
		n /= 10
	}
	if t.failed > 10 && n != 1 {
		return
	}
	args := []any{"step", step, "class", why.Class, "error", why.Text, "failed", t.failed}
	if module != "" {
		args = append(args, "module", module)
	}
	if p := from.Part; p != nil {
		args = append(args, "source", t.sourceName(from), "partition", p.Name, "position", from.Position())
	}
	t.Log.Warn(what, args...)
}

// deadLetter writes a record as it came, with headers that tell its story.
func (t *Task) deadLetter(rec *record.Record, from Origin, step, module, sink string, why Reason) {
	h := record.Headers{Count: rec.Headers.Count, Raw: append([]byte(nil), rec.Headers.Raw...)}
	if rec.Headers.Count > 0 {
		h.Raw = h.Raw[:rec.Headers.Size()]
	}
	add := func(name, value string) { h = h.Append("wasmill-"+name, []byte(value)) }
	add("job", t.Plan.Spec.Job)
	add("step", step)
	if module != "" {
		add("module", module)
	}
	add("error-class", why.Class)
	add("error-code", strconv.Itoa(int(why.Code)))
	add("error", why.Text)
	if p := from.Part; p != nil {
		add("source", t.sourceName(from))
		add("partition", p.Name)
		add("partition-number", strconv.Itoa(int(p.Number)))
		add("position", strconv.FormatInt(int64(from.Position()), 10))
		if from.Aggregate() {
			add("aggregate", "true")
		}
	}
	out := *rec
	out.Headers, out.Cause, out.Stream = h, 0, 0
	b := newBatch(record.Partition{})
	b.Add(&out)
	b.Origins = append(b.Origins, from)
	to := slices.IndexFunc(t.Plan.Spec.Sinks, func(s jobspec.Sink) bool { return s.Name == sink })
	t.sinks[to].add(b)
}
