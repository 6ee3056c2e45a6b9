// Package jobspec reads a job file: YAML in, Spec out, or all of its faults
// at once with line and column.
package jobspec

import (
	"time"

	"github.com/wasmill/wasmill/plugins"
)

// Spec is a job as its file describes it, defaults filled in, names checked
// and variables replaced. It does not change after Load.
type Spec struct {
	Job       string
	Sources   []Source // in the order of the file, like Steps and Sinks
	Steps     []Step
	Sinks     []Sink
	OnError   OnError
	Guarantee Guarantee
	Epoch     time.Duration // default 100ms
	Limits    Limits
	StateDir  string // absolute
	CPUs      int    // what tasks and partitions default to, at least 1
	Dir       string // absolute, of the job file: what relative paths are relative to
	File      string // as given, for messages
}

// RecordPolicy returns what follows on a record that step cannot take: its
// own policy, or the job's. Step -1 stands for the sources.
func (s *Spec) RecordPolicy(step int) RecordPolicy {
	if step >= 0 && step < len(s.Steps) {
		if p := s.Steps[step].OnError; p != nil {
			return *p
		}
	}
	return s.OnError.Record
}

// Guarantee is what a job promises of its sinks.
type Guarantee string

// The guarantees.
const (
	ExactlyOnce Guarantee = "exactly_once" // default
	AtLeastOnce Guarantee = "at_least_once"
)

// Place is where something stands in a job file, from 1.
type Place struct{ Line, Column int }

// Source is one of sources.
type Source struct {
	Name   string
	Kind   plugins.SourceKind
	Config plugins.Config
	Tasks  int // default: CPUs
	Place  Place
}

// Ref names what a step or sink reads.
type Ref struct {
	Name   string // of a source or step
	Output string // of a step; "" is its first
	Place  Place
}

// String returns the reference as it is written.
func (r Ref) String() string {
	if r.Output == "" {
		return r.Name
	}
	return r.Name + "." + r.Output
}

// Step is one of steps. A step without Wasm hands its records on.
type Step struct {
	Name       string
	From       []Ref
	Key        *Key
	KeepsKey   bool
	Wasm       string // absolute path of a directory or .wasm file; "" = none
	Config     any    // JSON value: nil, bool, json.Number, string, []any, map[string]any
	Stores     []Store
	Outputs    []string // at least one; the first is the default
	Tasks      int      // 0 = as its input, or Partitions behind an exchange
	Partitions int      // of the exchange before it; 0 = default: CPUs, or Tasks if that is more
	OnError    *RecordPolicy
	Place      Place
}

// Key says by what a step is keyed. Pointer is a JSON Pointer into the value
// ("" = the whole value), or Own is set for the record's own key.
type Key struct {
	Own     bool
	Pointer string
	Place   Place
}

// Store is a store of a step.
type Store struct {
	Name  string
	Place Place
}

// Sink is one of sinks.
type Sink struct {
	Name   string
	From   []Ref
	Kind   plugins.SinkKind
	Config plugins.Config
	Place  Place
}

// OnError says what follows on errors.
type OnError struct {
	Record RecordPolicy
	Module ModulePolicy
	Source SourcePolicy
}

// RecordPolicy is fail, skip, or a dead-letter sink.
type RecordPolicy struct {
	Action RecordAction
	Sink   string // of DeadLetter
	Place  Place
}

// RecordAction is what happens to a record that failed.
type RecordAction string

// The actions on a failed record.
const (
	Fail       RecordAction = "fail" // default: what came before commits, the job ends with 1
	Skip       RecordAction = "skip"
	DeadLetter RecordAction = "dead_letter"
)

// ModulePolicy is what follows on faults of init, config, ABI or end.
type ModulePolicy string

// The module policies.
const (
	ModuleRestart ModulePolicy = "restart" // default: back-off 100 ms to 30 s, parked after 10 in a row
	ModuleFail    ModulePolicy = "fail"
)

// SourcePolicy is what follows on parts of a source that could not be read.
type SourcePolicy string

// The source policies. Both list the parts and process the rest.
const (
	SourceFail SourcePolicy = "fail" // default: the job ends with 1
	SourceSkip SourcePolicy = "skip" // the job ends with 0
)

// Limits are the limits of a job. Sizes are bytes.
type Limits struct {
	Memory     int64 // of one instance, default 64 MiB
	Record     int64 // default 1 MiB; longer records are too_large
	Emit       int64 // of one call, default 16 MiB
	Key        int64 // default 4 KiB
	StateValue int64 // default 1 MiB
	LogRate    int64 // a second and instance, default 64 KiB
	Batch      Batch
	RecordTime time.Duration // CPU time of one record in a module, default 1 s
	CPU        time.Duration // CPU time a second of the job's modules together, 0 = no limit
}

// DefaultRecordTime is the CPU time that one record may take.
const DefaultRecordTime = time.Second

// Batch bounds the size of batches.
type Batch struct {
	Records int64         // at most, default 1,024
	Bytes   int64         // at most, default 256 KiB
	Time    time.Duration // of CPU that a batch is to take; 0 = sizes do not depend on it
}

const (
	defaultBatchRecords = 1024
	defaultBatchBytes   = 256 << 10
	defaultBatchTime    = 2 * time.Millisecond
)

// defaults fills in what is not given. Whoever fixes a size does not want it
// to change with the time.
func (b *Batch) defaults() {
	if b.Time == 0 && b.Records == 0 && b.Bytes == 0 {
		b.Time = defaultBatchTime
	}
	if b.Records == 0 {
		b.Records = defaultBatchRecords
	}
	if b.Bytes == 0 {
		b.Bytes = defaultBatchBytes
	}
}

// Overrides are what the command line and the environment add to a file.
type Overrides struct {
	Set      []string                    // path=value of --set, the value as YAML
	StateDir string                      // --state-dir, "" = as the file says
	WorkDir  string                      // what paths in Set and the environment are relative to
	Env      func(string) (string, bool) // looks up ${env:NAME}; nil = the process's
	CPUs     int                         // 0 = as many as Go uses at once
}
