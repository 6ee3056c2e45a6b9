//go:build linux

package tenant_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/tenant"
)

// open opens a job that is closed with the test.
func open(t *testing.T, o tenant.Options) *tenant.Job {
	t.Helper()
	j, err := tenant.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		checkNoChildren(t)
	})
	return j
}

// finish runs a job and expects that it finishes.
func finish(t *testing.T, j *tenant.Job) {
	t.Helper()
	out, err := j.Run(t.Context())
	if err != nil || !out.Finished {
		t.Fatalf("outcome %+v, error %v", out, err)
	}
}

func TestRun_DoesWhatAJobDoes(t *testing.T) {
	const n = 2000
	dir := newJob(t, n)
	j := open(t, options(t, dir, ""))
	if j.Decision() != epoch.Begin {
		t.Errorf("decision %v", j.Decision())
	}
	out, err := j.Run(t.Context())
	if err != nil || !out.Finished || out.Counts.Records != n || out.Counts.Out != n {
		t.Fatalf("outcome %+v, error %v", out, err)
	}
	if s := j.Status(); s.Records != n || s.Epoch == 0 || s.Epochs == 0 || len(s.Found) != 1 || !s.Found[0].Done || s.Elapsed <= 0 {
		t.Errorf("status %+v", s)
	}
	if j.CPU() <= 0 {
		t.Error("the worker took no CPU time")
	}
	checkCopied(t, dir, n)

	again := open(t, options(t, dir, ""))
	if again.Decision() != epoch.Nothing {
		t.Errorf("decision %v", again.Decision())
	}
}

func TestRun_GoesOnWhenTheWorkerIsKilled(t *testing.T) {
	for _, point := range epoch.Points {
		t.Run(string(point), func(t *testing.T) {
			const n = 50_000
			dir, ends := newJob(t, n), t.TempDir()
			j := open(t, options(t, dir, dieAt+string(point)+"|"+ends))
			finish(t, j)
			checkCopied(t, dir, n)
			if j.Decision() != epoch.Resume {
				t.Errorf("decision %v", j.Decision())
			}
			if died, err := os.ReadDir(ends); err != nil || len(died) == 0 {
				t.Errorf("%d workers died, error %v", len(died), err)
			}
		})
	}
}

func TestOpen_GivesUpAWorkerThatAlwaysDies(t *testing.T) {
	o := options(t, newJob(t, 1), dieBefore)
	o.Restarts = 3
	var said bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&said, nil))
	_, err := tenant.Open(t.Context(), o)
	const want = `the job's process has ended 4 times without a new epoch, the last time because it was ended by signal "killed"; the next run goes on behind epoch 0`
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if n := strings.Count(said.String(), "is started again"); n != 3 {
		t.Errorf("%d restarts are logged, want 3:\n%s", n, &said)
	}
	checkNoChildren(t)
}

func TestRun_ABugEndsTheWorkerAndIsShown(t *testing.T) {
	o := options(t, newJob(t, 10), panicking)
	o.Restarts = 1
	var said bytes.Buffer
	o.Stderr = &said
	_, err := open(t, o).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the last time because panic: a bug") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(said.String(), "\n\ngoroutine ") {
		t.Errorf("the stack is not shown:\n%s", &said)
	}
}

func TestRun_MemoryAboveTheLimit(t *testing.T) {
	if race {
		t.Skip("the race detector's own memory is beyond all limits, and it ends the process itself")
	}
	dir := newJob(t, 10)
	o := options(t, dir, hold+filepath.Join(dir, "held"))
	o.Restarts, o.Memory = 1, 200<<20
	j, err := tenant.Open(t.Context(), o)
	if err == nil { // it was not looked at before it had opened the job
		_, err = j.Run(t.Context())
		err = errors.Join(err, j.Close())
	}
	if err == nil || !strings.Contains(err.Error(), "because it took ") || !strings.Contains(err.Error(), " MiB of memory, its limit is 200 MiB") {
		t.Errorf("error %v", err)
	}
}

func TestOpen_MemoryFarAboveTheLimit(t *testing.T) {
	if race {
		t.Skip("the race detector's own memory is beyond all limits, and it ends the process itself")
	}
	dir := newJob(t, 10)
	o := options(t, dir, hold+filepath.Join(dir, "held"))
	o.Restarts, o.Memory, o.Stderr = 1, 50<<20, io.Discard
	_, err := tenant.Open(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "its limit of 50 MiB") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "held")); err == nil {
		t.Error("the worker got the memory")
	}
	checkNoChildren(t)
}

func TestRun_StopFinishesTheEpoch(t *testing.T) {
	const n = 20_000
	dir := newJob(t, n)
	stopped := filepath.Join(dir, "stopped")
	o := options(t, dir, slowly+stopped)
	o.Overrides.Set = []string{"sources.in.tasks=2"}
	j := open(t, o)
	go func() { // ends with Run
		for j.Status().Epoch == 0 {
			time.Sleep(time.Millisecond)
		}
		j.Stop()
		if err := os.WriteFile(stopped, nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	out, err := j.Run(t.Context())
	if err != nil || !out.Stopped || out.Finished {
		t.Fatalf("outcome %+v, error %v", out, err)
	}
	o.CacheDir = ""
	finish(t, open(t, o))
	checkCopied(t, dir, n)
}

func TestRun_StoppedWhileTheWorkerDies(t *testing.T) {
	j := open(t, options(t, newJob(t, 10), panicking))
	j.Stop()
	out, err := j.Run(t.Context())
	if err != nil || !out.Stopped || out.Finished {
		t.Errorf("outcome %+v, error %v", out, err)
	}
}

func TestRun_AWorkerThatDoesNotEndIsKilled(t *testing.T) {
	j := open(t, options(t, newJob(t, 10), endless))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := j.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	checkNoChildren(t)
}

func TestRun_AWorkerThatGivesUpSaysWhy(t *testing.T) {
	o := options(t, newJob(t, 10), giveUp)
	var cause string
	o.Stopped = func(c string) { cause = c }
	if _, err := open(t, o).Run(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if cause != "enough" {
		t.Errorf("cause %q", cause)
	}
}

func TestOpen_LogsAreWholeLines(t *testing.T) {
	o := options(t, newJob(t, 10), logging)
	w := &writes{}
	o.Stderr = w
	finish(t, open(t, o))
	if got := strings.Join(w.all, "|"); got != "one line\n|another line\n" {
		t.Errorf("written: %q", w.all)
	}
}

type writes struct{ all []string }

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), nil
}

func TestOpen_WhatIsWrongIsFinal(t *testing.T) {
	dir := newJob(t, 10)
	path := filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(path, []byte("job: 1x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var faults jobspec.Faults
	if _, err := tenant.Open(t.Context(), options(t, dir, "")); !errors.As(err, &faults) {
		t.Errorf("error %v", err)
	}
	job := strings.Replace(copyJob, "from: in", "from: step", 1) + "steps:\n  step: {from: in, wasm: ./step.wasm}\n"
	if err := errors.Join(os.WriteFile(path, []byte(job), 0o644), os.WriteFile(filepath.Join(dir, "step.wasm"), []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	var refused *tenant.RefusedError
	if _, err := tenant.Open(t.Context(), options(t, dir, "")); !errors.As(err, &refused) || !strings.Contains(err.Error(), "step step: ") {
		t.Errorf("error %v", err)
	}
	checkNoChildren(t)
}

func TestOpen_ABinaryThatIsNoWorker(t *testing.T) {
	for _, test := range []struct{ command, want string }{
		{"/does/not/exist", "starting the worker: fork/exec /does/not/exist"},
		// Whether its end or that of its output is seen first is left to chance.
		{"false", "it did not start as a worker: (Unrecognized remote plugin message|plugin exited before we could connect)"},
	} {
		o := options(t, newJob(t, 1), "")
		o.Command, o.Restarts = []string{test.command}, 1
		if _, err := tenant.Open(t.Context(), o); err == nil || !regexp.MustCompile(test.want).MatchString(err.Error()) {
			t.Errorf("%s: error %v", test.command, err)
		}
	}
	checkNoChildren(t)
}
