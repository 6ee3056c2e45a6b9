package main_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// running is the binary while it runs.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr *bufio.Reader
	said   strings.Builder
}

// start starts the binary; waitFor and end read what it says.
func start(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	return startTo(t, nil, dir, args...)
}

// startTo is start with standard output.
func startTo(t *testing.T, stdout *os.File, dir string, args ...string) *running {
	t.Helper()
	cmd := command(t, dir, args...)
	if stdout != nil {
		cmd.Stdout = stdout
	}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &running{t: t, cmd: cmd, stderr: bufio.NewReader(pipe)}
}

// waitFor reads standard error up to a line with text.
func (r *running) waitFor(text string) {
	r.t.Helper()
	for {
		line, err := r.stderr.ReadString('\n')
		r.said.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			r.t.Fatalf("it never said %q:\n%s", text, r.said.String())
		}
	}
}

func (r *running) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// end waits for the end of the process.
func (r *running) end() result {
	r.t.Helper()
	rest, err := io.ReadAll(r.stderr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.said.Write(rest)
	return result{code: codeOf(r.t, r.cmd.Wait()), stderr: r.said.String()}
}

// slow is how many records the jobs of these tests have.
const slow = 600

// littleCPU makes a slow job take ten seconds and more, so that it is not over
// before a signal, however late the test comes to send that. The next run does
// without it.
const littleCPU = "limits.cpu=50ms/s"

func TestRun_ASignalFinishesTheEpoch(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := newSlowJob(t, slow)
			r := start(t, dir, "run", "job.yaml", "--set", littleCPU)
			r.waitFor("slow record")
			r.signal(sig)
			r.waitFor("stopping after this epoch; press again to stop now")
			r.end().has(t, 130, "stopped: the next run goes on behind epoch ", "job guest interrupted in ")

			wasmill(t, dir, "run", "job.yaml").has(t, 0, " in this run; 600 records, ", "job guest finished in ")
			if n := len(lines(t, filepath.Join(dir, "out"))); n != slow {
				t.Errorf("%d lines came out of both runs, want %d", n, slow)
			}
		})
	}
}

func TestRun_ASecondSignalStopsAtOnce(t *testing.T) {
	t.Parallel()
	dir := newSlowJob(t, slow)
	r := start(t, dir, "run", "job.yaml", "--set", "limits.batch.records=500", "--set", littleCPU)
	r.waitFor("slow record")
	r.signal(os.Interrupt)
	r.waitFor("stopping after this epoch")
	r.signal(os.Interrupt)
	r.end().has(t, 130, "stopping now", "stopped at once: the next run goes on from the last commit")

	wasmill(t, dir, "run", "job.yaml").has(t, 0, "job guest finished in ")
	if n := len(lines(t, filepath.Join(dir, "out"))); n != slow {
		t.Errorf("%d lines came out of both runs, want %d", n, slow)
	}
}

// A guest that loops is no hindrance: its call is ended.
func TestRun_ASecondSignalEndsAGuestThatLoops(t *testing.T) {
	t.Parallel()
	r := start(t, newHangingJob(t), "run", "job.yaml")
	for _, says := range []string{"hang record", "stopping after this epoch"} {
		r.waitFor(says)
		r.signal(os.Interrupt)
	}
	r.end().has(t, 130, "stopping now", "stopped at once: the next run goes on from the last commit")
}

// A write that nobody takes cannot be interrupted: the third signal is the
// way out.
func TestRun_AThirdSignalEndsTheProcess(t *testing.T) {
	t.Parallel()
	dir := newJob(t, printJob, strings.Repeat("a line that somebody reads\n", 100_000))
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	r := startTo(t, write, dir, "run", "job.yaml")
	if _, err := read.Read(make([]byte, 1)); err != nil { // it prints, and the pipe fills
		t.Fatal(err)
	}
	r.signal(os.Interrupt)
	for _, says := range []string{"stopping after this epoch", "stopping now; press again to end the process"} {
		r.waitFor(says)
		r.signal(os.Interrupt)
	}
	if got := r.end(); got.code != -1 {
		t.Errorf("exit code %d, want the end by a signal:\n%s", got.code, got.stderr)
	}
}

func TestRun_TwoRunsOfOneJob(t *testing.T) {
	t.Parallel()
	dir := newHangingJob(t)
	r := start(t, dir, "run", "job.yaml")
	r.waitFor("hang record")
	wasmill(t, dir, "run", "job.yaml").has(t, 2,
		"wasmill: state directory ", " is in use by another run of this job (process "+itoa(r.cmd.Process.Pid)+"): wait for it or stop it")
	wasmill(t, dir, "run", "job.yaml", "--fresh").has(t, 2, "is in use by another run")
	r.signal(os.Kill)
	r.end()
	wasmill(t, dir, "validate", "job.yaml").has(t, 0)
}
