package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host"
)

// A job that begins removes what a run before it may have left. What another
// job has written is not that: the run is refused, and so is the next one.
func TestRun_SparesTheOutputOfAnotherJob(t *testing.T) {
	f := newFixture(t)
	f.write("in/a", "one\n")
	f.write("job.yaml", "job: first\nsources:\n  docs:\n    walk: {root: ./in, records: lines}\nsinks:\n  out:\n    from: docs\n    file: {path: ./out, format: lines}\n")
	run := func(o host.Options) error {
		j, err := host.Open(t.Context(), o)
		if err != nil {
			return err
		}
		_, err = j.Run(t.Context())
		return errors.Join(err, j.Close())
	}
	if err := run(f.options()); err != nil {
		t.Fatal(err)
	}

	f.write("in/a", "two\n")
	other := f.options("job=second")
	for range 2 {
		var taken *host.OccupiedError
		if err := run(other); !errors.As(err, &taken) || taken.Sink != "out" || !strings.HasPrefix(taken.What, f.path("out")+string(filepath.Separator)) {
			t.Fatalf("the other job was not refused: %v", err)
		}
	}
	if got := f.lines("out"); len(got) != 1 || got[0] != "one" {
		t.Fatalf("the output of the first job is now %q", got)
	}

	// Files that no sink names so are in nobody's way, and a sink without
	// partition_by has none below its directory.
	if err := os.Rename(f.path("out"), f.path("kept")); err != nil {
		t.Fatal(err)
	}
	below := f.options("sinks.out.file.path=./out/below")
	below.Overrides.StateDir = f.path("state-below")
	f.write("out/README", "text\n")
	if err := errors.Join(run(below), run(other)); err != nil {
		t.Fatal(err)
	}
	other.Fresh = true
	if err := run(other); err != nil {
		t.Fatal(err)
	}
	if got := f.lines("out/below"); len(got) != 1 || got[0] != "two" {
		t.Fatalf("the output below that of the second job is %q", got)
	}
	if err := errors.Join(os.Remove(f.path("out/README")), os.RemoveAll(f.path("out/below"))); err != nil {
		t.Fatal(err)
	}
	if got := f.lines("out"); len(got) != 1 || got[0] != "two" {
		t.Fatalf("the second job wrote %q", got)
	}

	fresh := f.options("job=third")
	fresh.Fresh = true
	if err := run(fresh); err != nil {
		t.Fatal(err)
	}
}
