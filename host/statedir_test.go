package host_test

import (
	"errors"
	"os"
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

func TestOpen_DamagedState(t *testing.T) {
	f := newFixture(t)
	f.write("job.yaml", "job: copy\nsources:\n  in: {walk: {root: ./in}}\nsinks:\n  out: {from: in, file: {path: ./out}}\n")
	f.write("in/a", "a\n")
	o := f.options()
	o.Overrides.StateDir = f.path("state")
	j, err := host.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Run(t.Context())
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	damaged, err := filepath.Glob(f.path("state/store/MANIFEST-*"))
	if err != nil || len(damaged) == 0 {
		t.Fatalf("no manifest: %v", err)
	}
	for _, path := range damaged {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	o.Fresh = true
	if _, err = host.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "state directory "+f.path("state")+" cannot be opened: ") ||
		!strings.Contains(err.Error(), "put back a copy of it, or remove it and run with --fresh") {
		t.Errorf("error %v", err)
	}
	if err := os.RemoveAll(f.path("state")); err != nil {
		t.Fatal(err)
	}
	if j, err = host.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
