package main

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins"
)

// summary is what there is to say of a run that has ended. Its JSON form is
// what other programs may rely on. Durations are seconds.
type summary struct {
	Job     string `json:"job"`
	Outcome string `json:"outcome"` // finished, nothing_to_do, partial, interrupted or failed
	Exit    int    `json:"exit_code"`
	Error   string `json:"error,omitempty"`

	Run   runFigures `json:"run"`   // of this run
	Total totals     `json:"total"` // of all runs, as committed

	Epoch   uint64         `json:"epoch"` // the last one committed
	Steps   []stepFigures  `json:"steps"`
	Faults  []sourceFault  `json:"faults"` // all of them, of all runs
	Outputs []outputFigure `json:"outputs"`
}

type runFigures struct {
	Resumed   bool    `json:"resumed"`
	Files     int64   `json:"files_found"`
	Unread    int64   `json:"files_passed_over"` // symbolic links and special files
	Records   int64   `json:"records"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`       // of the process
	Start     float64 `json:"start_seconds"` // of them until the first record could be read: building, compiling, opening
	Rate      float64 `json:"records_per_second"`
	CPU       float64 `json:"cpu_seconds"`
	GuestTime float64 `json:"guest_seconds"`
	Share     float64 `json:"guest_share"` // of the CPU time
	Epochs    int64   `json:"epochs"`
	Commits   float64 `json:"commit_seconds"`
}

// reading is how long records could be read, in seconds and more than 0.
func (r *runFigures) reading() float64 { return max(r.Seconds-r.Start, 1e-6) }

type totals struct {
	Records    int64 `json:"records"`
	Bytes      int64 `json:"bytes"`
	Splits     int64 `json:"splits"`
	Skipped    int64 `json:"skipped"`
	DeadLetter int64 `json:"dead_letters"`
	Faults     int64 `json:"faults"`
	Out        int64 `json:"records_out"`
}

type stepFigures struct {
	Name     string           `json:"name"`
	Batches  int64            `json:"batches"`
	Records  int64            `json:"records"`
	Out      int64            `json:"records_out"`
	Failed   int64            `json:"failed"`
	FailedBy map[string]int64 `json:"failed_by_class,omitempty"`
	Traps    int64            `json:"traps"`
	TrapsBy  map[string]int64 `json:"traps_by_kind,omitempty"`
	Overruns int64            `json:"overruns"`
	Recycled int64            `json:"recycled"`
	Seconds  float64          `json:"guest_seconds"`
	Memory   int64            `json:"memory_bytes"`
	Metrics  map[string]int64 `json:"metrics,omitempty"`
}

type sourceFault struct {
	Source string `json:"source"`
	Kind   string `json:"kind"`
	Path   string `json:"path"` // quoted if it is not printable UTF-8
	Error  string `json:"error"`
}

// summarise takes down how a run went that took start to begin; err is what
// Run returned.
func summarise(job job, start time.Duration, out container.Outcome, err error) *summary {
	s := &summary{
		Job: job.Spec().Job, Outcome: outcome(job, out, err),
		Steps: []stepFigures{}, Faults: []sourceFault{}, Outputs: outputs(job.Spec()),
		Total: totals{
			Records: out.Counts.Records, Bytes: out.Counts.Bytes, Splits: out.Counts.Splits, Skipped: out.Counts.Skipped,
			DeadLetter: out.Counts.DeadLetter, Faults: out.Counts.Faults, Out: out.Counts.Out,
		},
	}
	if err != nil && s.Outcome != "interrupted" {
		s.Error = err.Error()
	}
	st := job.Status()
	s.Epoch = st.Epoch
	s.Run = runFigures{
		Resumed: job.Decision() == epoch.Resume, Records: st.Records, Bytes: st.Bytes, Seconds: st.Elapsed.Seconds(), Start: start.Seconds(),
		CPU: job.CPU().Seconds(), Epochs: st.Epochs, Commits: st.Commit.Seconds(),
	}
	for _, f := range st.Found {
		s.Run.Files += f.Files
		s.Run.Unread += f.Skipped
	}
	var guests time.Duration
	for _, step := range st.Steps {
		guests += step.Guest
		s.Steps = append(s.Steps, stepFigures{
			Name: step.Name, Batches: step.Batches, Records: step.Records, Out: step.Out, Failed: step.Failed, FailedBy: step.FailedBy,
			Traps: step.Traps, TrapsBy: step.TrapsBy, Overruns: step.Overruns, Recycled: step.Recycled, Seconds: step.Guest.Seconds(), Memory: step.Memory, Metrics: step.Metrics,
		})
	}
	s.Run.GuestTime = guests.Seconds()
	if s.Run.CPU > 0 {
		s.Run.Share = min(1, s.Run.GuestTime/s.Run.CPU)
	}
	s.Run.Rate = float64(st.Records) / s.Run.reading()
	s.addFaults(job, out.Faults)
	return s
}

func outcome(job job, out container.Outcome, err error) string {
	switch {
	case job.Decision() == epoch.Nothing:
		return "nothing_to_do"
	case errors.Is(err, host.ErrPartial) && out.Finished:
		return "partial"
	case err == nil && out.Finished:
		return "finished"
	case errors.Is(err, errInterrupted), out.Stopped && (err == nil || errors.Is(err, host.ErrPartial)):
		return "interrupted"
	}
	return "failed"
}

func (s *summary) addFaults(job job, bySource [][]*plugins.Fault) {
	for i, faults := range bySource {
		for _, f := range faults {
			s.Faults = append(s.Faults, sourceFault{job.Spec().Sources[i].Name, string(f.Kind), quoted(f.Path), f.Err.Error()})
		}
	}
}

func (s *summary) json() ([]byte, error) {
	doc, err := json.MarshalIndent(s, "", "  ")
	return append(doc, '\n'), err
}
