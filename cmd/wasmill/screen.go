package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// screen is standard error. On a terminal it keeps some lines of progress
// below everything else that is written; each change is one write, so that
// nothing flickers and no line is torn.
type screen struct {
	w       io.Writer
	term    bool       // lines can be redrawn
	width   func() int // of the terminal in columns
	mu      sync.Mutex
	drawn   int      // mu: lines of progress on the terminal
	present []string // mu: what they say
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w, width: func() int { return 80 }}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.term = true
		s.width = func() int {
			if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
				return n
			}
			return 80
		}
	}
	return s
}

// Write writes whole lines above the progress.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b bytes.Buffer
	s.erase(&b)
	b.Write(p)
	s.lines(&b)
	if _, err := s.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// say writes one line. An error has nobody to be told to.
func (s *screen) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s, format+"\n", args...)
}

// progress replaces the lines of progress; none takes them away.
func (s *screen) progress(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b bytes.Buffer
	s.erase(&b)
	s.present = lines
	s.lines(&b)
	if b.Len() > 0 {
		_, _ = s.w.Write(b.Bytes())
	}
}

// clear empties the terminal, what can be scrolled back to as well. Where there
// is none it does nothing.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.term {
		s.drawn = 0
		_, _ = io.WriteString(s.w, "\x1b[H\x1b[2J\x1b[3J")
	}
}

// erase goes to the first line of progress and clears what is below it.
func (s *screen) erase(b *bytes.Buffer) {
	if s.drawn > 0 {
		fmt.Fprintf(b, "\x1b[%dA\r\x1b[J", s.drawn)
		s.drawn = 0
	}
}

// lines draws the progress, each line cut to the width of the terminal so
// that it takes one row.
func (s *screen) lines(b *bytes.Buffer) {
	width := s.width() - 1
	for _, l := range s.present {
		cut(b, l, width)
		b.WriteByte('\n')
	}
	s.drawn = len(s.present)
}

// cut writes the first columns of a line. Colours take none, and those behind
// the cut are written too, so that the last one that is on is put out.
func cut(b *bytes.Buffer, line string, columns int) {
	colour := false
	for _, r := range line {
		if r == '\x1b' {
			colour = true
		}
		if colour || columns > 0 {
			b.WriteRune(r)
		}
		if !colour {
			columns--
		}
		if r == 'm' {
			colour = false
		}
	}
}
