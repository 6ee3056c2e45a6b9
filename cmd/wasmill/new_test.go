package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/corpus"
	"github.com/wasmill/wasmill/host/scaffold"
)

// A new step builds, passes its own test and that of wasmill test, and runs.
func TestNew_BuildsPassesAndRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("builds steps in every language")
	}
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			test := scaffold.TestCommand(lang)
			r := wasmill(t, dir, "new", lang, "step")
			r.has(t, 0, "wrote step/job.yaml\n", "next: (cd step && "+test+"), then wasmill run step/job.yaml\n")

			native := exec.CommandContext(t.Context(), "bash", "-euc", test)
			native.Dir = filepath.Join(dir, "step")
			native.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod")
			path := binary(t) + ":" + os.Getenv("PATH")
			if tools, err := corpus.Tools(); err == nil && tools["pytest-python"] != "" { // a python3 with pytest
				path = filepath.Dir(tools["pytest-python"]) + ":" + path
			}
			native.Env = append(native.Env, "PATH="+path)
			if out, err := native.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", test, err, out)
			}

			r = wasmill(t, dir, "run", "step/job.yaml")
			r.has(t, 0, "job step finished in ")
			if r.stdout == "" {
				t.Error("the step printed nothing")
			}
			r = wasmill(t, dir, "run", "step/job.yaml", "--fresh")
			r.has(t, 0, "job step finished in ")
			if strings.Contains(r.stderr, "building") {
				t.Errorf("it is built again:\n%s", r.stderr)
			}
			wasmill(t, dir, "test", "step").has(t, 0)
		})
	}
}

// What is said to do next can be given to a shell as it is.
func TestNew_NextIsForAShell(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain", "two words", "it's", "$HOME;x", "été"} {
		r := wasmill(t, dir, "new", "as", name)
		_, next, _ := strings.Cut(r.stderr, "next: (")
		cd, _, _ := strings.Cut(next, " && ")
		_, run, _ := strings.Cut(next, "wasmill run ")
		sh := exec.CommandContext(t.Context(), "sh", "-euc", "test -f "+strings.TrimSpace(run)+"; "+cd+"; test -f job.yaml")
		sh.Dir = dir
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s\n%s", name, err, r.stderr, out)
		}
	}
}
