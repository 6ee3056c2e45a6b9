package main

import (
	"fmt"
	"strings"
	"time"
)

// maxFaults is how many faults of sources the table lists.
const maxFaults = 20

// table returns the summary for a person.
func (s *summary) table() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", name, fmt.Sprintf(format, args...))
	}
	r := &s.Run
	fmt.Fprintf(&b, "job %s %s in %s", s.Job, s.Outcome, duration(r.Seconds))
	if r.Start >= 1 {
		fmt.Fprintf(&b, ", %s of it to build and start", duration(r.Start))
	}
	b.WriteByte('\n')
	if s.Outcome == "failed" && r.Records == 0 && r.Epochs == 0 {
		return b.String() // it never got to work: the reason is all there is to say
	}
	if r.Resumed {
		line("read", "%s, %s in this run; %s, %s in all", plural(r.Records, "record", "records"), size(r.Bytes),
			plural(s.Total.Records, "record", "records"), size(s.Total.Bytes))
	} else {
		line("read", "%s, %s, %s", plural(r.Files, "file", "files"), plural(r.Records, "record", "records"), size(r.Bytes))
	}
	line("rate", "%s records/s, %s/s", count(int64(r.Rate)), size(int64(float64(r.Bytes)/r.reading())))
	line("time", "%.2f s of CPU, %.0f %% of it in guests", r.CPU, 100*r.Share)
	line("epochs", "%s, %.2f s in commits", count(r.Epochs), r.Commits)
	line("written", "%s", plural(s.Total.Out, "record", "records"))
	if r.Unread > 0 {
		line("passed", "%s, which a walk never reads", plural(r.Unread, "symbolic link or special file", "symbolic links and special files"))
	}
	if s.Total.Skipped > 0 {
		line("skipped", "%s", plural(s.Total.Skipped, "record", "records"))
	}
	if s.Total.DeadLetter > 0 {
		line("rejected", "%s to dead letters", plural(s.Total.DeadLetter, "record", "records"))
	}
	for i, f := range s.Faults {
		if i == maxFaults {
			line("fault", "and %s more", count(int64(len(s.Faults)-maxFaults)))
			break
		}
		line("fault", "%s: %s: %s", f.Kind, f.Path, f.Error)
	}
	for _, o := range s.Outputs {
		line("output", "%s: %s", o.Sink, o.where())
	}
	return b.String()
}

func duration(s float64) string { return seconds(time.Duration(s * float64(time.Second))) }
