package host_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

// A crash behind the last decision leaves a job that has ended with outputs
// that are not finalised: the next run finalises them, the one after that has
// nothing to do.
func TestRun_FinalisesWhatTheLastEpochLeft(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("in.txt", "one\ntwo\n")
	write("job.yaml", "job: j\nsources:\n  in:\n    walk: {root: ., include: in.txt}\nsinks:\n  out:\n    from: in\n    stdout: {}\nepoch: 1h\n")

	var printed bytes.Buffer
	run := func(crash error) (epoch.Decision, container.Outcome, error) {
		var reg plugins.Registry
		file.Register(&reg, &printed)
		j, err := host.Open(t.Context(), host.Options{
			File: filepath.Join(dir, "job.yaml"), Registry: &reg, CacheDir: t.TempDir(),
			Hooks: container.Hooks{At: func(p epoch.Point) error {
				if p == epoch.BeforeFinalise {
					return crash
				}
				return nil
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := j.Run(t.Context())
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		return j.Decision, out, err
	}

	crash := errors.New("crash")
	if _, _, err := run(crash); !errors.Is(err, crash) || printed.Len() > 0 {
		t.Fatalf("the crash gave %v and printed %q", err, printed.String())
	}
	if d, out, err := run(nil); d != epoch.Resume || !out.Finished || err != nil || printed.String() != "one\ntwo\n" {
		t.Fatalf("the next run: decision %d, %+v, %v, printed %q", d, out, err, printed.String())
	}
	if d, out, err := run(nil); d != epoch.Nothing || !out.Finished || err != nil || printed.String() != "one\ntwo\n" {
		t.Fatalf("the run after it: decision %d, %+v, %v, printed %q", d, out, err, printed.String())
	}
}
