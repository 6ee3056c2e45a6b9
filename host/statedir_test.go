package host_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host"
)

func TestOpen_StateDirectoryThatCannotBe(t *testing.T) {
	f := newFixture(t)
	f.write("job.yaml", "job: copy\nsources:\n  in: {walk: {root: ./in}}\nsinks:\n  out: {from: in, file: {path: ./out}}\n")
	f.write("in/a", "a\n")
	f.write("file", "")
	o := f.options()
	o.Overrides.StateDir = f.path("file/state")
	_, err := host.Open(t.Context(), o)
	want := "state directory " + filepath.Join(f.dir, "file/state") + " cannot be written to: choose another one with --state-dir or state_dir: "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
