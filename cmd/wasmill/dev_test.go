package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const waiting = "waiting for a change; Ctrl-C ends\n"

var cpuLine = regexp.MustCompile(`  time     ([0-9.]+) s of CPU`)

// startDev starts wasmill dev, whose first run has ended when it returns.
func startDev(t *testing.T, dir string, args ...string) *running {
	t.Helper()
	r := start(t, dir, append([]string{"dev", "job.yaml"}, args...)...)
	r.waitFor(waiting)
	return r
}

// interrupt ends wasmill dev as Ctrl-C does.
func (r *running) interrupt(t *testing.T) {
	t.Helper()
	r.signal(os.Interrupt)
	got := r.end()
	if got.code != 130 {
		t.Errorf("exit code %d, want 130:\n%s", got.code, got.stderr)
	}
}

// put is write in one step, so that there is one change, which has the whole
// text: a file of another directory comes into the place of the old one.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	from := t.TempDir()
	write(t, from, "new", text)
	if err := os.Rename(filepath.Join(from, "new"), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestDev_RunsAgainWhenTheInputChanges(t *testing.T) {
	t.Parallel()
	dir := newJob(t, copyJob, "one\n")
	out := filepath.Join(dir, ".wasmill/dev/copy/out")
	r := startDev(t, dir)
	if got := lines(t, out); !slices.Equal(got, []string{"one"}) {
		t.Errorf("it wrote %q", got)
	}
	put(t, dir, "in/lines.txt", "two\n")
	r.waitFor("in/lines.txt has changed\n")
	r.waitFor("job copy finished in ")
	r.waitFor(waiting)
	if err := os.Mkdir(filepath.Join(dir, "in/new"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.waitFor("in/new has changed\n")
	r.waitFor(waiting)
	put(t, dir, "in/new/more.txt", "three\n")
	r.waitFor("in/new/more.txt has changed\n")
	r.waitFor(waiting)
	got := lines(t, out)
	if slices.Sort(got); !slices.Equal(got, []string{"three", "two"}) {
		t.Errorf("it wrote %q: it does not begin anew", got)
	}
	r.interrupt(t)
	said := r.said.String()
	if strings.Contains(said, "wasmill: ") {
		t.Errorf("it complained:\n%s", said)
	}
	var sum float64 // of what each run says, which is its own
	for _, m := range cpuLine.FindAllStringSubmatch(said, -1) {
		s, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += s
	}
	state := r.cmd.ProcessState
	if all := (state.UserTime() + state.SystemTime()).Seconds(); sum > all+0.05 { // each is rounded
		t.Errorf("the runs took %.2f s of CPU, the process %.2f s:\n%s", sum, all, said)
	}
	for _, name := range []string{"out", ".wasmill/copy"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("it touched %s, which is of wasmill run", name)
		}
	}
}

// Records that are printed into a file beside the source are no change of it.
func TestDev_WhatItPrintsIsNoChange(t *testing.T) {
	t.Parallel()
	dir := newJob(t, strings.ReplaceAll(printJob, "root: ./in", `root: ., include: "in/*"`), "one\n")
	found, err := os.Create(filepath.Join(dir, "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	r := startTo(t, found, dir, "dev", "job.yaml")
	r.waitFor(waiting)
	put(t, dir, "in/lines.txt", "two\n")
	r.waitFor(" has changed\n")
	r.waitFor(waiting)
	r.interrupt(t)
	if said := r.said.String(); strings.Contains(said, "found.txt has changed") {
		t.Errorf("its own output is a change:\n%s", said)
	}
	if got, err := os.ReadFile(found.Name()); string(got) != "one\ntwo\n" {
		t.Errorf("it printed %q, %v", got, err)
	}
}

// Editors write a file of another name and put it into the place of the old
// one: that is not what is told.
func TestDev_NamesAFileThatIsThere(t *testing.T) {
	t.Parallel()
	dir := newJob(t, copyJob, "one\n")
	r := startDev(t, dir)
	write(t, dir, "in/sed4711", "two\n")
	if err := os.Rename(filepath.Join(dir, "in/sed4711"), filepath.Join(dir, "in/lines.txt")); err != nil {
		t.Fatal(err)
	}
	r.waitFor("in/lines.txt has changed\n")
	r.waitFor(waiting)
	r.interrupt(t)
}

func TestDev_GoesOnWithADirectoryThatIsPutBack(t *testing.T) {
	t.Parallel()
	dir := newJob(t, copyJob, "one\n")
	out := filepath.Join(dir, ".wasmill/dev/copy/out")
	r := startDev(t, dir)
	if err := os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	r.waitFor("has changed\n")
	r.waitFor(waiting)
	if err := os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "in")); err != nil {
		t.Fatal(err)
	}
	r.waitFor("in has changed\n")
	r.waitFor("job copy finished in ")
	r.waitFor(waiting)
	put(t, dir, "in/lines.txt", "two\n")
	r.waitFor("in/lines.txt has changed\n")
	r.waitFor("job copy finished in ")
	r.waitFor(waiting)
	if got := lines(t, out); !slices.Equal(got, []string{"two"}) {
		t.Errorf("it wrote %q", got)
	}
	r.interrupt(t)
}

func TestDev_WaitsForAJobFileToBeMended(t *testing.T) {
	t.Parallel()
	dir := newJob(t, "job: copy\nsources: 7\n", "one\n")
	r := start(t, dir, "dev", "job.yaml")
	r.waitFor("job.yaml:2:")
	r.waitFor(waiting)
	write(t, dir, "job.yaml", copyJob)
	r.waitFor("job.yaml has changed\n")
	r.waitFor("job copy finished in ")
	r.waitFor(waiting)
	r.signal(syscall.SIGTERM)
	r.end().has(t, 130)
}

func TestDev_AChangeEndsARun(t *testing.T) {
	t.Parallel()
	dir := newHangingJob(t)
	r := start(t, dir, "dev", "job.yaml")
	r.waitFor("hang record")
	write(t, dir, "in/lines.txt", "good\n")
	r.waitFor("in/lines.txt has changed\n")
	r.waitFor("job guest finished in ")
	r.waitFor(waiting)
	r.interrupt(t)
}

func TestDev_BuildsAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a step with Go for WebAssembly")
	}
	t.Parallel()
	dir := t.TempDir()
	wasmill(t, dir, "new", "go", "again").has(t, 0)
	dir = filepath.Join(dir, "again")
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	r := startDev(t, dir)
	write(t, dir, "main.go", string(text)+"\nvar fault = undefined\n")
	r.waitFor("main.go has changed\n")
	r.waitFor("undefined: undefined")
	r.waitFor(waiting)
	write(t, dir, "main.go", string(text))
	r.waitFor("job again finished in ")
	r.waitFor(waiting)
	write(t, dir, ".wasmill/sdk/extra.go", "package wasmill\n\nvar fault = undefined\n")
	r.waitFor("extra.go has changed\n")
	r.waitFor("undefined: undefined")
	r.waitFor(waiting)
	r.interrupt(t)
}

func TestDev_EndsWhereThereIsNoJob(t *testing.T) {
	wasmill(t, t.TempDir(), "dev", "none.yaml").has(t, 2, "wasmill: job file: stat none.yaml: no such file or directory\n")
}
