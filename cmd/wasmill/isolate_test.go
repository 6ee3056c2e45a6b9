//go:build linux

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// workers returns the processes that process pid has started and that live.
func workers(pid int) (pids []int) {
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			continue // the thread has ended
		}
		for _, f := range strings.Fields(string(b)) {
			n, _ := strconv.Atoi(f)
			if cmd, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", n)); err == nil && bytes.Contains(cmd, []byte("--wasmill-worker")) {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// guard is how long a test waits for what has to come, on a busy machine too.
const guard = 3 * time.Minute

// worker waits for the process that runs the job of process pid and is none
// of those before.
func worker(t *testing.T, pid int, before ...int) int {
	t.Helper()
	for deadline := time.Now().Add(guard); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, n := range workers(pid) {
			if len(before) == 0 || n != before[len(before)-1] {
				return n
			}
		}
	}
	t.Fatal("no worker came")
	return 0
}

// gone waits for the end of a process.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(guard); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
	}
	t.Errorf("process %d lives", pid)
}

// facts returns a summary without what differs from run to run.
func facts(t *testing.T, doc string) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(doc), &s); err != nil {
		t.Fatalf("%v in %q", err, doc)
	}
	run := s["run"].(map[string]any)
	for _, name := range []string{"seconds", "start_seconds", "records_per_second", "cpu_seconds", "guest_seconds", "guest_share", "commit_seconds", "epochs"} {
		delete(run, name)
	}
	delete(s, "epoch")
	for _, step := range s["steps"].([]any) {
		for _, name := range []string{"guest_seconds", "memory_bytes", "batches"} {
			delete(step.(map[string]any), name)
		}
	}
	for _, o := range s["outputs"].([]any) {
		delete(o.(map[string]any), "path")
	}
	return s
}

// times are those of log lines.
var times = regexp.MustCompile(`(?m)^time=\S+ `)

func TestIsolate_IsTheSameRun(t *testing.T) {
	for _, test := range []struct {
		name, job, lines string
		code             int
	}{
		{"copies", copyJob, numbered(1000), 0},
		{"prints", printJob, numbered(1000), 0},
		{"a failed record", copyJob + "limits: {max_record: 8KiB}\non_error: {record: fail}\n", "a\n" + strings.Repeat("x", 10_000) + "\n", 1},
		{"dead letters", copyJob + "  rejected: {file: {path: ./rejected, format: jsonl}}\nlimits: {max_record: 8KiB}\non_error: {record: {dead_letter: rejected}}\n", "a\n" + strings.Repeat("x", 10_000) + "\n", 0},
		{"a bad job", "job: 1x\n", "", 2},
		{"no module", guestJob, "a\n", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			run := func(args ...string) (result, []string) {
				dir := newJob(t, test.job, test.lines)
				write(t, dir, "guest.wasm", "not a module")
				r := wasmill(t, dir, append([]string{"run", "job.yaml", "--log-level", "warn"}, args...)...)
				r.stderr = times.ReplaceAllString(strings.ReplaceAll(r.stderr, dir, "DIR"), "")
				r.stderr = progressLines.ReplaceAllString(r.stderr, "")
				return r, lines(t, filepath.Join(dir, "out"))
			}
			want, wantLines := run("--output", "json")
			got, gotLines := run("--output", "json", "--isolate")
			if got.code != test.code || want.code != test.code {
				t.Errorf("exit code %d, %d without isolation, want %d:\n%s", got.code, want.code, test.code, got.stderr)
			}
			if !reflect.DeepEqual(gotLines, wantLines) {
				t.Errorf("%d lines came out, want %d", len(gotLines), len(wantLines))
			}
			if strings.HasPrefix(want.stdout, "{") {
				if got, want := facts(t, got.stdout), facts(t, want.stdout); !reflect.DeepEqual(got, want) {
					t.Errorf("summary\n%v\nwant\n%v", got, want)
				}
			} else if got.stdout != want.stdout {
				t.Errorf("standard output has %d bytes, want %d", len(got.stdout), len(want.stdout))
			}
			if !strings.Contains(want.stderr, "{") && got.stderr != want.stderr {
				t.Errorf("standard error\n%s\nwant\n%s", got.stderr, want.stderr)
			}
		})
	}
}

// TestIsolate_SurvivesKills kills the workers of a job at random moments.
func TestIsolate_SurvivesKills(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	const n = 3 * slow // not done before the last kill, even if the test sleeps longer than it means to
	dir := newSlowJob(t, n)
	r := start(t, dir, "run", "job.yaml", "--isolate", "--log-level", "error", "--set", "limits.cpu=500ms/s")
	var killed []int
	for range 4 {
		pid := worker(t, r.cmd.Process.Pid, killed...)
		time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond) // the moment is what is random
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		killed = append(killed, pid)
	}
	last := worker(t, r.cmd.Process.Pid, killed...)
	r.end().has(t, 0, "job guest finished in ")
	if got := len(lines(t, filepath.Join(dir, "out"))); got != n {
		t.Errorf("%d lines came out, want %d", got, n)
	}
	gone(t, last)
}

func TestIsolate_AWorkerThatHangsIsReplaced(t *testing.T) {
	t.Parallel()
	dir := newSlowJob(t, slow)
	r := start(t, dir, "run", "job.yaml", "--isolate", "--isolate-heartbeat", "3s", "--set", "limits.cpu=200ms/s")
	r.waitFor("slow record")
	pid := worker(t, r.cmd.Process.Pid)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.waitFor(`reason="it did not answer for 3s"`)
	r.end().has(t, 0, "job guest finished in ", "600 records, ")
	if n := len(lines(t, filepath.Join(dir, "out"))); n != slow {
		t.Errorf("%d lines came out, want %d", n, slow)
	}
	gone(t, pid)
}

func TestIsolate_Signals(t *testing.T) {
	t.Parallel()
	dir := newSlowJob(t, slow)
	r := start(t, dir, "run", "job.yaml", "--isolate", "--set", littleCPU)
	r.waitFor("slow record")
	pid := worker(t, r.cmd.Process.Pid)
	r.signal(os.Interrupt)
	r.waitFor("stopping after this epoch; press again to stop now")
	r.end().has(t, 130, "stopped: the next run goes on behind epoch ", "job guest interrupted in ")
	gone(t, pid)

	r = start(t, dir, "run", "job.yaml", "--isolate", "--set", "limits.batch.records=500", "--set", littleCPU)
	r.waitFor("slow record")
	pid = worker(t, r.cmd.Process.Pid)
	r.signal(syscall.SIGTERM)
	r.waitFor("stopping after this epoch")
	r.signal(syscall.SIGTERM)
	r.end().has(t, 130, "stopping now", "stopped at once: the next run goes on from the last commit")
	gone(t, pid)

	// A signal to the worker itself stops the run too.
	r = start(t, dir, "run", "job.yaml", "--isolate", "--set", littleCPU)
	r.waitFor("slow record")
	if err := syscall.Kill(worker(t, r.cmd.Process.Pid), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r.end().has(t, 130, "stopped: the next run goes on behind epoch ")

	wasmill(t, dir, "run", "job.yaml").has(t, 0, "job guest finished in ")
	if n := len(lines(t, filepath.Join(dir, "out"))); n != slow {
		t.Errorf("%d lines came out of all runs, want %d", n, slow)
	}
}

func TestIsolate_TheWorkerDiesWithItsSupervisor(t *testing.T) {
	t.Parallel()
	dir := newSlowJob(t, slow)
	r := start(t, dir, "run", "job.yaml", "--isolate", "--set", littleCPU)
	r.waitFor("slow record")
	pid := worker(t, r.cmd.Process.Pid)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil { // or it would die of its logs
		t.Fatal(err)
	}
	r.signal(os.Kill)
	gone(t, pid)
	r.end()
	wasmill(t, dir, "run", "job.yaml", "--isolate").has(t, 0, "job guest finished in ")
	if n := len(lines(t, filepath.Join(dir, "out"))); n != slow {
		t.Errorf("%d lines came out of both runs, want %d", n, slow)
	}
}

func TestIsolate_AReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	readerGoesAway(t, "--isolate")
}
