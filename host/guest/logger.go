package guest

import (
	"bytes"
	"fmt"
	"time"
)

// maxLine is where a line of a guest's output is cut in two.
const maxLine = 8 << 10

// maxSaid is how much of what a guest says is kept for messages, in bytes.
const maxSaid = 512

// logger takes an instance's log lines and output to Calls, at most rate
// bytes a second. What is above that is dropped, and the next line that goes
// through is preceded by one that says how much.
type logger struct {
	calls  Calls
	now    func() time.Time
	rate   int
	tokens int       // bytes that may still go out
	filled time.Time // when tokens was brought up to date

	dropped      int // lines since the last that went out
	droppedBytes int

	last   []byte // the last line that the guest wrote, dropped or not, at most maxSaid bytes
	said   []byte // the first two lines of this call at Warn or above, at most maxSaid bytes
	saids  int    // lines in said
	stdout lineWriter
	stderr lineWriter
}

func newLogger(calls Calls, now func() time.Time, rate int) *logger {
	l := &logger{calls: calls, now: now, rate: rate, tokens: rate, filled: now()}
	l.stdout = lineWriter{log: l, level: Info}
	l.stderr = lineWriter{log: l, level: Warn}
	return l
}

// write sends one line.
func (l *logger) write(level Level, line []byte) {
	l.keep(level, line)
	if !l.calls.LogEnabled(level) {
		return
	}
	if !l.take(len(line)) {
		l.dropped++
		l.droppedBytes += len(line)
		return
	}
	l.report()
	l.calls.Log(level, line)
}

// keep remembers a line for the message of a trap.
func (l *logger) keep(level Level, line []byte) {
	line = line[:min(len(line), maxSaid)]
	l.last = append(l.last[:0], line...)
	if level < Warn || l.saids == 2 {
		return
	}
	if l.saids++; l.saids > 1 {
		l.said = append(l.said, " | "...)
	}
	l.said = append(l.said, line...)
}

// begin forgets what earlier calls said.
func (l *logger) begin() { l.last, l.said, l.saids = l.last[:0], l.said[:0], 0 }

// quote returns what the guest said in this call, for the end of a message:
// how its complaint began, for a language's runtime goes on with a long
// stack, or else its last line.
func (l *logger) quote() string {
	l.flush()
	said := l.said
	if len(said) == 0 {
		said = l.last
	}
	if len(said) == 0 {
		return ""
	}
	return "; it said: " + clean(string(said), maxSaid)
}

// take takes n bytes from the budget, which fills up within a second.
func (l *logger) take(n int) bool {
	if n > l.tokens {
		now := l.now()
		if since := now.Sub(l.filled); since >= time.Second {
			l.tokens, l.filled = l.rate, now
		} else if more := int(float64(l.rate) * since.Seconds()); more > 0 {
			l.tokens, l.filled = min(l.rate, l.tokens+more), now
		}
	}
	if n > l.tokens {
		return false
	}
	l.tokens -= n
	return true
}

// report says what was dropped.
func (l *logger) report() {
	if l.dropped == 0 {
		return
	}
	text := fmt.Sprintf("%d log lines of %d bytes were dropped: more than %d bytes a second (limits.max_log)", l.dropped, l.droppedBytes, l.rate)
	l.dropped, l.droppedBytes = 0, 0
	l.calls.Log(Warn, []byte(text))
}

// flush sends lines that have no end yet.
func (l *logger) flush() {
	l.stdout.flush()
	l.stderr.flush()
}

// close sends all that is left to say.
func (l *logger) close() {
	l.flush()
	l.report()
}

// lineWriter cuts a guest's standard output or error into log lines.
type lineWriter struct {
	log   *logger
	level Level
	buf   []byte // of a line without its end, below maxLine
}

// Write implements io.Writer. It never fails.
func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		w.add(p[:i])
		w.end()
		p = p[i+1:]
	}
	w.add(p)
	return n, nil
}

func (w *lineWriter) add(p []byte) {
	for len(w.buf)+len(p) >= maxLine {
		n := maxLine - len(w.buf)
		if n > len(p) {
			break
		}
		w.buf = append(w.buf, p[:n]...)
		w.end()
		p = p[n:]
	}
	w.buf = append(w.buf, p...)
}

func (w *lineWriter) end() {
	if line := bytes.TrimSuffix(w.buf, []byte("\r")); len(line) > 0 {
		w.log.write(w.level, line)
	}
	w.buf = w.buf[:0]
}

func (w *lineWriter) flush() {
	if len(w.buf) > 0 {
		w.end()
	}
}
