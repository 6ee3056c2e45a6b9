package epoch

import (
	"fmt"
	"strings"

	"github.com/wasmill/wasmill/host/plan"
)

// Facts are what a run finds before it begins.
type Facts struct {
	Exists   bool              // there is a checkpoint
	Format   int               // of its rows
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
	Begin   Decision = iota // nothing is there
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
	if c := plan.Changes(f.Identity, f.Wanted); len(c) > 0 {
		return Refuse, &ChangedError{Changes: c}
	}
	// A job that has ended may have outputs to finalise: resuming it opens its
	// writers, which does that, and no task has anything left to do.
	if f.Finished && f.Clean {
		return Nothing, nil
	}
	return Resume, nil
}

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
