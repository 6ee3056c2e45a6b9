package jobspec

import (
	"regexp"
	"strings"
)

// variable is the inside of ${…}.
var variable = regexp.MustCompile(`^env:([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?$`)

// expand replaces ${env:NAME} and ${env:NAME:-default} in the text of a
// scalar, and makes ${ of $${. A variable that is empty counts as unset if
// there is a default. A scalar that begins with a value from the environment
// is, as a path, relative to the working directory.
func (r *reader) expand(n *node, s string) (text string, replaced bool) {
	if !strings.Contains(s, "${") {
		return s, false
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String(), replaced
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		inside, rest, closed := strings.Cut(s[i+2:], "}")
		m := variable.FindStringSubmatch(inside)
		if !closed || m == nil {
			r.fault(n.spot, msgVariable, shorten(s[i:len(s)-len(rest)], 40))
			n.bad = true
			return b.String(), replaced
		}
		s, replaced = rest, true
		value, ok := r.o.Env(m[1])
		switch {
		case ok && (value != "" || m[2] == ""):
			if b.Len() == 0 && value != "" {
				n.base, n.local = r.work, false
			}
		case m[2] != "":
			value = m[3]
		default:
			r.fault(n.spot, msgUnset, m[1], m[1])
			n.bad = true
		}
		b.WriteString(value)
	}
}

// shorten cuts s behind its first n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
