package epoch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/plan"
)

// Facts are what a run finds before it begins.
type Facts struct {
	Exists   bool              // there is a checkpoint
	Format   int               // of its rows
	Epoch    uint64            // the last one committed, 0 before the first
	Finished bool              // the job has ended
	Clean    bool              // what was decided last is finalised
	Identity map[string]string // of the job that wrote it
	Wanted   map[string]string // of the job that wants to run
	Fresh    bool              // the user asked to start over
}

// Decision is what a run does with what it found.
type Decision int

// The decisions.
const (
	Begin   Decision = iota // nothing is there, or nothing that was committed
	Resume                  // go on from the checkpoint
	Nothing                 // the job has ended: say so
	Restart                 // drop everything and begin
	Refuse                  // the checkpoint is not this job's, or not readable
)

// Resolve decides. The error is the reason of Refuse.
func Resolve(f Facts) (Decision, error) {
	switch {
	case !f.Exists:
		return Begin, nil
	case f.Fresh:
		return Restart, nil
	case f.Format != Format:
		return Refuse, fmt.Errorf("the state has format %d, this build reads format %d; run with --fresh to start over", f.Format, Format)
	}
	c := plan.Changes(f.Identity, f.Wanted)
	// Before its first commit a job has neither positions nor state. All that
	// it may have left are files of its sinks, and the next run takes back
	// those of the same sinks alone.
	if f.Epoch == 0 && !slices.ContainsFunc(c, ofSinks) {
		return Begin, nil
	}
	if len(c) > 0 {
		return Refuse, &ChangedError{Changes: c}
	}
	// A job that has ended may have outputs to finalise: resuming it opens its
	// writers, which does that, and no task has anything left to do.
	if f.Finished && f.Clean {
		return Nothing, nil
	}
	return Resume, nil
}

// ofSinks tells whether a change may concern what sinks have written.
func ofSinks(c plan.Change) bool { return c.Path == "job" || strings.HasPrefix(c.Path, "sinks.") }

// ChangedError says that a checkpoint belongs to another form of the job.
type ChangedError struct{ Changes []plan.Change }

func (e *ChangedError) Error() string {
	var b strings.Builder
	b.WriteString("the job has changed since its state was written:")
	for _, c := range e.Changes {
		b.WriteString("\n  " + c.String())
	}
	b.WriteString("\nundo the change to go on, or run with --fresh to drop the state and the output and start over")
	return b.String()
}
