package main_test

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

// openTerminal returns the two ends of a pseudo terminal.
func openTerminal(t *testing.T, columns int) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile("/dev/pts/"+itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// onTerminal runs the binary with standard error on a terminal of so many
// columns and returns what was written there.
func onTerminal(t *testing.T, columns int, dir string, env []string, args ...string) (code int, written string) {
	t.Helper()
	ours, theirs := openTerminal(t, columns)
	cmd := command(t, dir, args...)
	cmd.Env = append(append(cmd.Env, "TERM=xterm"), env...)
	cmd.Stderr = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	var all bytes.Buffer
	// The read fails with EIO once nobody has the other end.
	_, _ = io.Copy(&all, ours)
	return codeOf(t, cmd.Wait()), all.String()
}

// screenOf returns the lines that a terminal shows after text, which may go
// up, to the first column, and clear to the end of the screen.
func screenOf(t *testing.T, text string) []string {
	t.Helper()
	control := regexp.MustCompile(`^\x1b\[(\d*)([A-Za-z])`)
	rows := []string{""}
	row := 0
	for len(text) > 0 {
		switch {
		case text[0] == '\n':
			if row++; row == len(rows) {
				rows = append(rows, "")
			}
			text = text[1:]
		case text[0] == '\r':
			text = text[1:] // every line is written from its beginning
		case text[0] == '\x1b':
			m := control.FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("an unknown control sequence: %q", text[:min(len(text), 10)])
			}
			switch m[2] {
			case "A":
				n, _ := strconv.Atoi(m[1])
				if row -= n; row < 0 {
					t.Fatal("the cursor goes above the first line")
				}
			case "J":
				rows = append(rows[:row], "")
			case "m":
				rows[row] += m[0]
			default:
				t.Fatalf("an unexpected control sequence: %q", m[0])
			}
			text = text[len(m[0]):]
		default:
			rows[row] += text[:1]
			text = text[1:]
		}
	}
	return rows
}

// long are the flags of a slow job of 400 records that is to be seen drawn more
// than once, on a machine with many fast CPUs too.
var long = []string{"run", "job.yaml", "--set", "limits.cpu=400ms/s"}

func TestRun_ProgressOnATerminal(t *testing.T) {
	t.Parallel()
	dir := newSlowJob(t, 400)
	code, written := onTerminal(t, 100, dir, nil, long...)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, written)
	}
	for _, want := range []string{"guest  [\x1b[32m#", " unsealed, ", "records, ", "\x1b[2A\r\x1b[J"} {
		if !strings.Contains(written, want) {
			t.Errorf("the terminal was never written %q:\n%q", want, written)
		}
	}
	rows := screenOf(t, written)
	if !strings.HasPrefix(rows[0], "job guest finished in ") {
		t.Errorf("the progress is still there at the end:\n%s", strings.Join(rows, "\n"))
	}
}

// The bar takes what the text leaves of a line, and goes where that is too
// little; what is longer still is cut, and a colour never stays on.
func TestRun_ProgressFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		columns   int
		bar, text string
	}{
		{100, `\[[#-]{24}\] `, " in 1 file$"},
		{60, `\[[#-]{8,16}\] `, " in 1 file$"},
		{48, ``, " in 1 file$"},
		{25, ``, ""},
	} {
		t.Run(itoa(tt.columns), func(t *testing.T) {
			t.Parallel()
			code, written := onTerminal(t, tt.columns, newSlowJob(t, 400), nil, long...)
			if code != 0 {
				t.Fatalf("exit code %d:\n%s", code, written)
			}
			whole := regexp.MustCompile(`^guest  ` + tt.bar + ` *\d+ %  .*` + tt.text)
			drawn := 0
			for f := range strings.SplitSeq(written, "\n") {
				line := regexp.MustCompile(`\x1b\[\d*[A-Za-z]|\r`).ReplaceAllString(f, "")
				if strings.HasPrefix(line, "job guest ") {
					break // the summary, which may wrap
				}
				if len(line) >= tt.columns {
					t.Errorf("a line of %d characters wraps: %q", len(line), line)
				}
				if strings.Count(f, "\x1b[32m") != strings.Count(f, "\x1b[0m") {
					t.Errorf("a colour stays on: %q", f)
				}
				if whole.MatchString(line) {
					drawn++
				}
			}
			if drawn == 0 {
				t.Errorf("no line like %s in\n%q", whole, written)
			}
		})
	}
}

func TestRun_NoColour(t *testing.T) {
	t.Parallel()
	code, written := onTerminal(t, 100, newSlowJob(t, 400), []string{"NO_COLOR=1"}, long...)
	if code != 0 || !strings.Contains(written, "guest  [#") || regexp.MustCompile(`\x1b\[[\d;]*m`).MatchString(written) {
		t.Errorf("exit code %d, want progress without colour:\n%q", code, written)
	}
}

// Log lines go above the progress, and an error leaves the terminal clean.
func TestRun_TerminalAfterAnError(t *testing.T) {
	t.Parallel()
	dir := newSlowJob(t, 800)
	write(t, dir, "in/other.txt", strings.Repeat("slow\n", 100)+strings.Repeat("x", 2<<20)+"\n")
	code, written := onTerminal(t, 100, dir, nil, "run", "job.yaml", "--log-level", "info")
	rows := screenOf(t, written)
	all := strings.Join(rows, "\n")
	if code != 1 || strings.Contains(all, " unsealed, ") || !strings.Contains(all, "wasmill: job guest") {
		t.Errorf("exit code %d, want 1; the terminal shows\n%s", code, all)
	}
}

// Elsewhere than on a terminal progress is plain lines.
func TestRun_PlainProgress(t *testing.T) {
	t.Parallel()
	r := start(t, newHangingJob(t), "run", "job.yaml")
	r.waitFor(" in 1 file, ") // the first line comes before that is known where it takes long
	r.signal(os.Kill)
	said := r.end().stderr
	line := regexp.MustCompile(`(?m)^guest  .* in 1 file, \d+ records?, \S+/s, epoch \d+, .* unsealed, .* s$`)
	if !line.MatchString(said) {
		t.Errorf("no line like %s in\n%s", line, said)
	}
	if strings.ContainsAny(said, "\x1b\r") {
		t.Errorf("control characters: %q", said)
	}
}
