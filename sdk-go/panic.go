package wasmill

import (
	"runtime"
	"strconv"
)

// panicText describes a recovered panic: what and at which line of the step.
// It is called by the deferred function that recovered.
func panicText(v any) string {
	text := "panic: "
	switch v := v.(type) {
	case error:
		text += v.Error()
	case string:
		text += v
	case interface{ String() string }:
		text += v.String()
	case int:
		text += strconv.Itoa(v)
	default:
		text += "a value that is neither an error nor a string"
	}
	return text + panicPlace()
}

// sdk begins the names of this package's functions.
const sdk = "github.com/wasmill/wasmill/sdk-go."

// panicPlace returns the innermost functions below the panic with file and
// line, three at most, without those of the runtime and of this package.
func panicPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	text, lead := "", " at "
	panicking := false
	for n := 0; n < 3; {
		f, more := frames.Next()
		inRuntime := hasPrefix(f.Function, "runtime.")
		switch {
		case inRuntime:
			panicking = panicking || f.Function == "runtime.gopanic"
		case panicking && hasPrefix(f.Function, sdk):
			return text
		case panicking:
			text += lead + f.Function + " (" + base(f.File) + ":" + strconv.Itoa(f.Line) + ")"
			lead = ", called by "
			n++
		}
		if !more {
			break
		}
	}
	return text
}

// base returns the last two elements of a path: the package's directory and
// the file.
func base(path string) string {
	i, slashes := len(path), 0
	for i > 0 && slashes < 2 {
		if i--; path[i] == '/' {
			slashes++
		}
	}
	if slashes == 2 {
		i++
	}
	return path[i:]
}

// hasPrefix stands in for package strings, which no module needs to carry.
func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }
