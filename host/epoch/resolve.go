package epoch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Facts are what a run finds before it begins.
type Facts struct {
	Exists   bool              // there is a checkpoint
	Format   int               // of its rows
	Finished bool              // the job has ended
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
	if d := differences(f.Identity, f.Wanted); len(d) > 0 {
		return Refuse, &ChangedError{Differences: d}
	}
	if f.Finished {
		return Nothing, nil
	}
	return Resume, nil
}

// Difference is a part of a job that changed; "" means that it was not there.
type Difference struct{ Path, Was, Is string }

// ChangedError says that a checkpoint belongs to another form of the job.
type ChangedError struct{ Differences []Difference }

func (e *ChangedError) Error() string {
	var b strings.Builder
	b.WriteString("the job changed since its state was written:")
	for _, d := range e.Differences {
		fmt.Fprintf(&b, "\n  %s: was %s, is %s", d.Path, quoted(d.Was), quoted(d.Is))
	}
	b.WriteString("\nundo the change to go on, or run with --fresh to drop the state and the output and start over")
	return b.String()
}

func quoted(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

func differences(was, is map[string]string) []Difference {
	paths := slices.Sorted(maps.Keys(was))
	for p := range is {
		if _, ok := was[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	var d []Difference
	for _, p := range paths {
		if was[p] != is[p] {
			d = append(d, Difference{p, was[p], is[p]})
		}
	}
	return d
}
