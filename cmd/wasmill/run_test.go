package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/wasmtest"
)

func TestRun_CopiesAndSumsUp(t *testing.T) {
	dir := newJob(t, copyJob, numbered(1000))
	r := wasmill(t, dir, "run", "job.yaml")
	r.has(t, 0, "job copy finished in ", "  read     1 file, 1,000 records, 3.8 KiB\n", "  written  1,000 records\n", "  output   out: out\n")
	if r.stdout != "" {
		t.Errorf("standard output: %q", r.stdout)
	}
	got := lines(t, filepath.Join(dir, "out"))
	want := strings.Fields(numbered(1000))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d lines came out, not the 1,000 that went in", len(got))
	}
}

func TestRun_AFinishedJobAgain(t *testing.T) {
	dir := newJob(t, copyJob, numbered(10))
	wasmill(t, dir, "run", "job.yaml").has(t, 0)
	write(t, dir, "in/more.txt", "more\n")

	r := wasmill(t, dir, "run", "job.yaml")
	r.has(t, 0, "job copy has finished before; there is nothing to do\n  output out: out\nrun with --fresh to drop its state and output and start over\n")
	if n := len(lines(t, filepath.Join(dir, "out"))); n != 10 {
		t.Errorf("the output has %d lines, it had 10", n)
	}

	r = wasmill(t, dir, "run", "job.yaml", "--fresh")
	r.has(t, 0, "2 files, 11 records")
	if n := len(lines(t, filepath.Join(dir, "out"))); n != 11 {
		t.Errorf("after --fresh the output has %d lines, want 11", n)
	}
}

func TestRun_AChangedJobIsRefused(t *testing.T) {
	dir := newJob(t, copyJob, "not JSON\n")
	wasmill(t, dir, "run", "job.yaml").has(t, 0)
	write(t, dir, "job.yaml", strings.Replace(copyJob, "format: lines", "format: jsonl", 1))

	wasmill(t, dir, "run", "job.yaml").has(t, 2,
		"wasmill: job copy, state directory ", "the job has changed since its state was written:", "lines", "jsonl", "--fresh")
	wasmill(t, dir, "run", "job.yaml", "--fresh").has(t, 0, "finished")
	if got := lines(t, filepath.Join(dir, "out"))[0]; !json.Valid([]byte(got)) {
		t.Errorf("after --fresh the output is not JSON: %q", got)
	}
}

func TestRun_ARecordThatFails(t *testing.T) {
	dir := newJob(t, guestJob, "good\nbad\ngood\n")
	write(t, dir, "guest.wasm", string(wasmtest.FailOn("bad", "it is bad")))
	wasmill(t, dir, "run", "job.yaml").has(t, 1,
		"wasmill: job guest, step guard, module ", "source in, partition \"lines.txt\", position 5: rejected: it is bad", "job guest failed")

	r := wasmill(t, dir, "run", "job.yaml", "--fresh", "--set", "on_error={record: skip}", "--log-level", "error")
	r.has(t, 0, "  skipped  1 record\n", "  written  2 records\n")
	if strings.Contains(r.stderr, "level=WARN") {
		t.Errorf("a warning in spite of --log-level error:\n%s", r.stderr)
	}
}

// Parts of a source that cannot be read are listed: twenty of them, then how
// many more. on_error.source decides about the exit code.
func TestRun_PartsThatAreNotRead(t *testing.T) {
	dir := newJob(t, copyJob, "good\n")
	for i := range 22 {
		write(t, dir, fmt.Sprintf("in/%02d\xff.gz", i), "\x1f\x8b\x08\x00 no gzip at all")
	}
	r := wasmill(t, dir, "run", "job.yaml")
	r.has(t, 1, "wasmill: parts of the input were not read", "job copy partial in", `corrupt: "00\xff.gz": `, "  fault    and 2 more\n", "  written  1 record\n")
	if n := strings.Count(r.stderr, "corrupt: "); n != 20 {
		t.Errorf("%d faults are listed, want 20:\n%s", n, r.stderr)
	}
	wasmill(t, dir, "run", "job.yaml", "--fresh", "--set", "on_error={source: skip}").has(t, 0, "job copy finished in", "and 2 more")
}

func TestRun_SummaryAsJSON(t *testing.T) {
	var s struct {
		Job     string
		Outcome string
		Exit    int `json:"exit_code"`
		Run     struct {
			Files   int64 `json:"files_found"`
			Records int64
			CPU     float64 `json:"cpu_seconds"`
			Seconds float64
			Start   float64 `json:"start_seconds"`
		}
		Total   struct{ Bytes int64 }
		Faults  []struct{ Kind, Path string }
		Outputs []struct{ Sink, Kind, Path string }
	}
	dir := newJob(t, copyJob, numbered(100))
	write(t, dir, "in/bad.gz", "\x1f\x8b\x08\x00 no gzip at all")
	r := wasmill(t, dir, "run", "job.yaml", "--output", "json")
	r.has(t, 1)
	if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
		t.Fatalf("%v in %s", err, r.stdout)
	}
	if s.Job != "copy" || s.Outcome != "partial" || s.Exit != 1 || s.Run.Files != 2 || s.Run.Records != 100 || s.Total.Bytes != 292 ||
		s.Run.CPU <= 0 || s.Run.Start <= 0 || s.Run.Start >= s.Run.Seconds || len(s.Faults) != 1 || s.Faults[0].Kind != "corrupt" || s.Faults[0].Path != "bad.gz" ||
		len(s.Outputs) != 1 || s.Outputs[0].Path != filepath.Join(dir, "out") {
		t.Errorf("got %+v", s)
	}

	// A job that prints its records has standard output for itself.
	dir = newJob(t, printJob, "a\nb\n")
	r = wasmill(t, dir, "run", "job.yaml", "--output", "json")
	r.has(t, 0, `"outcome": "finished"`)
	if r.stdout != "a\nb\n" {
		t.Errorf("standard output: %q", r.stdout)
	}
}

// How records failed and instances were lost is told by kind, and only if
// there is something to tell.
func TestRun_SummaryTellsFailuresByKind(t *testing.T) {
	for name, tt := range map[string]struct {
		wasm          []byte
		failed, traps map[string]int64
	}{
		"rejects": {wasmtest.FailOn("bad", "it is bad"), map[string]int64{"rejected": 2}, nil},
		"traps":   {wasmtest.TrapOn("bad"), map[string]int64{"trap": 2}, map[string]int64{"trap": 5}}, // the batch, its halves, a half of each
		"passes":  {wasmtest.TrapOn("worse"), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newJob(t, guestJob, "bad\ngood\nbad\ngood\n")
			write(t, dir, "guest.wasm", string(tt.wasm))
			r := wasmill(t, dir, "run", "job.yaml", "--output", "json", "--set", "on_error={record: skip}", "--set", "limits.batch.records=4")
			r.has(t, 0)
			var s struct {
				Steps []struct {
					Failed   int64
					FailedBy map[string]int64 `json:"failed_by_class"`
					Traps    int64
					TrapsBy  map[string]int64 `json:"traps_by_kind"`
				}
			}
			if err := json.Unmarshal([]byte(r.stdout), &s); err != nil || len(s.Steps) != 1 {
				t.Fatalf("%v in %s", err, r.stdout)
			}
			got := s.Steps[0]
			if !maps.Equal(got.FailedBy, tt.failed) || got.Failed != tt.failed["rejected"]+tt.failed["trap"] || !maps.Equal(got.TrapsBy, tt.traps) || got.Traps != tt.traps["trap"] {
				t.Errorf("got %+v, want %v failed and %v traps", got, tt.failed, tt.traps)
			}
			if tt.failed == nil && strings.Contains(r.stdout, "_by_") {
				t.Errorf("nothing failed, but: %s", r.stdout)
			}
		})
	}
}

func TestRun_AModuleThatDoesNotBuild(t *testing.T) {
	dir := newJob(t, guestJob, "")
	write(t, dir, "guest.wasm", "no module")
	wasmill(t, dir, "run", "job.yaml").has(t, 2, "wasmill: job.yaml:7:3: step guard: ")
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a job that did not start made its output")
	}
}

// A run that could not begin to read has nothing to sum up.
func TestRun_ThatNeverBegan(t *testing.T) {
	t.Parallel()
	r := wasmill(t, newJob(t, copyJob, ""), "run", "job.yaml", "--set", "sources.in.walk.root=nowhere")
	r.has(t, 1, "job copy failed in ", "nowhere\" cannot be read")
	if n := strings.Count(progressLines.ReplaceAllString(r.stderr, ""), "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, r.stderr)
	}
}
