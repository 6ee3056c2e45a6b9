package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A new step builds, passes its test and runs, without a network.
func TestNew_BuildsPassesAndRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a step with Go for WebAssembly")
	}
	t.Parallel()
	dir := t.TempDir()
	r := wasmill(t, dir, "new", "go", "step")
	r.has(t, 0, "wrote step/main.go\n", "next: (cd step && go test ./...), then wasmill run step/job.yaml\n")

	test := exec.CommandContext(t.Context(), "go", "test", "./...")
	test.Dir = filepath.Join(dir, "step")
	test.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod")
	if out, err := test.CombinedOutput(); err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}

	r = wasmill(t, dir, "run", "step/job.yaml")
	r.has(t, 0, "building step (once, some seconds)…\n", "job step finished in ")
	if !strings.Contains(r.stdout, "func ") {
		t.Errorf("the step printed %q, no line with func", r.stdout)
	}
	r = wasmill(t, dir, "run", "step/job.yaml", "--fresh")
	r.has(t, 0, "job step finished in ")
	if strings.Contains(r.stderr, "building") {
		t.Errorf("it is built again:\n%s", r.stderr)
	}
}
