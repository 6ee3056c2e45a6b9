package admit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Faults is everything that is wrong with a module, in the order of checks.
type Faults []error

// Error shows the first few, for a hostile module may have very many.
func (f Faults) Error() string {
	const most = 8
	var b strings.Builder
	for i, err := range f[:min(len(f), most)] {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(err.Error())
	}
	if n := len(f) - most; n > 0 {
		fmt.Fprintf(&b, "; and %d faults more", n)
	}
	return b.String()
}

// Unwrap returns the faults.
func (f Faults) Unwrap() []error { return f }

// quote shows a name of the module: whole if it is short and printable.
func quote(name string) string {
	const most = 80
	short := name
	if len(name) > most {
		short = strings.ToValidUTF8(name[:most], "") + "…"
	}
	if name == "" || strings.ContainsFunc(short, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(short)
	}
	return short
}
