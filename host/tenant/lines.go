package tenant

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// stderr is what a worker writes to its standard error: lines for the user,
// and in the end what the Go runtime says about a crash, which is kept.
type stderr struct {
	w io.Writer

	mu    sync.Mutex
	line  bytes.Buffer // mu: not yet whole
	crash bytes.Buffer // mu: from the first line of a crash on
}

const (
	longestLine  = 64 << 10
	longestCrash = 64 << 10
)

// crashes are how the lines begin with which the Go runtime ends a process.
var crashes = []string{"panic: ", "fatal error: ", "runtime: ", "runtime/cgo: ", "unexpected fault address ", "SIG"}

func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		s.line.Write(part[:min(len(part), longestLine-s.line.Len())])
		if whole {
			s.end()
		}
		p = rest
	}
	return n, nil
}

// end deals with a whole line.
func (s *stderr) end() {
	line := append(bytes.Clone(s.line.Bytes()), '\n')
	s.line.Reset()
	for _, c := range crashes {
		if s.crash.Len() > 0 || bytes.HasPrefix(line, []byte(c)) {
			s.crash.Write(line[:min(len(line), longestCrash-s.crash.Len())])
			return
		}
	}
	_, _ = s.w.Write(line) // an error has nobody to be told to
}

// crashed returns what the Go runtime said, and the line that sums it up; ""
// if it said nothing.
func (s *stderr) crashed() (all, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = s.crash.String()
	for line := range strings.Lines(all) {
		line = strings.TrimSuffix(line, "\n")
		if what == "" || strings.HasPrefix(line, "fatal error: ") {
			what = line
		}
		if strings.HasPrefix(line, "fatal error: ") {
			break
		}
	}
	return all, what
}
