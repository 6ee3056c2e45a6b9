package main_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func TestRun_PrintsRecordsAlone(t *testing.T) {
	dir := newJob(t, printJob, numbered(1000))
	r := wasmill(t, dir, "run", "job.yaml", "--log-level", "debug")
	r.has(t, 0, "job print finished", "  output   out: stdout\n")
	if r.stdout != numbered(1000) {
		t.Errorf("standard output has %d bytes, want %d", len(r.stdout), len(numbered(1000)))
	}
}

// A reader that goes away stops the run; what it did not read is not lost.
func TestRun_AReaderThatGoesAway(t *testing.T) { readerGoesAway(t) }

// readerGoesAway is that of a run with more flags.
func readerGoesAway(t *testing.T, flags ...string) {
	t.Helper()
	const n = 200_000
	dir := newJob(t, printJob, numbered(n))
	args := append([]string{"run", "job.yaml", "--set", "sources.in.walk.split=64KiB", "--set", "epoch=1ms"}, flags...)
	cmd := command(t, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(pipe).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	result{code: codeOf(t, cmd.Wait()), stderr: stderr.String()}.has(t, 130,
		"stopped: nobody reads standard output any more; the next run goes on with what was not printed")

	r := wasmill(t, dir, args...)
	r.has(t, 0, "job print finished")
	if !strings.HasSuffix(r.stdout, "\n") || !strings.Contains("\n"+r.stdout, "\n200000\n") {
		t.Errorf("the next run printed %d bytes, and not the last line", len(r.stdout))
	}
}
