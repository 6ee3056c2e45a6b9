package main_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	room, err := unix.FcntlInt(read.Fd(), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	taken := make([]byte, 4096)
	if _, err := read.Read(taken); err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	result{code: codeOf(t, cmd.Wait()), stderr: stderr.String()}.has(t, 130,
		"stopped: nobody reads standard output any more; the next run goes on with what was not printed")

	r := wasmill(t, dir, args...)
	r.has(t, 0, "job print finished")
	printed := map[string]bool{}
	for line := range strings.Lines(r.stdout) {
		printed[line] = true
	}
	lost, torn := 0, 10 // the last line that the pipe took may be so in part
	for line := range strings.Lines(numbered(n)) {
		if !printed[line] {
			lost += len(line)
		}
	}
	if most := len(taken) + room + torn; lost > most {
		t.Errorf("%d bytes were printed to nobody, at most %d could be: the next run printed %d", lost, most, len(r.stdout))
	}
}
