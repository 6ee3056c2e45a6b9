package jobspec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a job.
type Fault struct {
	File  string // as given to Load, or "--set"
	Place Place  // zero if it concerns no line
	What  string // without place and line

	at     spot
	format message
}

// String returns the fault as a person reads it: file, line and column, what
// is wrong, then the line itself with a caret below the place.
//
//	job.yaml:6:7: unknown key "rot" in sources.docs.walk; did you mean "root"?
//	   6 |       rot: ./docs
//	     |       ^
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	line := f.Place.Line
	if line > 0 && f.at.text.order == 0 {
		fmt.Fprintf(&b, ":%d:%d", line, f.Place.Column)
	}
	b.WriteString(": ")
	b.WriteString(f.What)
	if line > 0 && line <= len(f.at.text.lines) {
		number := ""
		if f.at.text.order == 0 {
			number = fmt.Sprint(line)
		}
		shown, below := underline(f.at.text.lines[line-1], f.Place.Column)
		fmt.Fprintf(&b, "\n%4s | %s\n%4s | %s", number, shown, strings.Repeat(" ", len(number)), below)
	}
	return b.String()
}

// Faults are all faults of a job, in the order of its file, then those of
// --set. There is at least one.
type Faults []Fault

// maxQuoted is how many characters of a value a fault shows.
const maxQuoted = 300

// maxShown is how many faults Error spells out.
const maxShown = 50

// Error returns the faults, each on lines of its own; behind the fiftieth
// only their number.
func (f Faults) Error() string {
	var b strings.Builder
	for i, one := range f {
		if i == maxShown {
			fmt.Fprintf(&b, "\nand %d more faults", len(f)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one.String())
	}
	return b.String()
}

// fault notes a fault at a spot.
func (r *reader) fault(at spot, format message, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = shorten(s, maxQuoted)
		}
	}
	f := Fault{
		File:   at.text.name,
		Place:  at.Place,
		What:   strings.Map(graphic, fmt.Sprintf(string(format), args...)),
		at:     at,
		format: format,
	}
	// What an alias names is read at each use of it, and found wrong each time.
	id := faultID{at, f.What}
	if r.seen[id] {
		return
	}
	r.seen[id] = true
	r.faults = append(r.faults, f)
}

type faultID struct {
	at   spot
	what string
}

// err returns the faults in their order, nil if there are none.
func (r *reader) err() error {
	if len(r.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(r.faults, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(a.at.text.order, b.at.text.order),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
		)
	})
	return r.faults
}
