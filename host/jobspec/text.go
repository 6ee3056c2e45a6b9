package jobspec

import "strings"

// text is what faults point into: the job file, or the argument of a --set.
type text struct {
	name  string // "job.yaml" or "--set"
	order int    // 0 for the file, then the arguments
	lines []string
}

// spot is a place in a text. The zero Place is the text as a whole.
type spot struct {
	text *text
	Place
}

// place returns the place in the job file, zero if the spot is elsewhere.
func (s spot) place() Place {
	if s.text == nil || s.text.order != 0 {
		return Place{}
	}
	return s.Place
}

// splitLines cuts s at the line breaks that YAML knows, so that line numbers
// are those of its parser.
func splitLines(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(s)
	return strings.Split(s, "\n")
}
