package main_test

import (
	"strings"
	"testing"
)

func TestWasmill_WrongUse(t *testing.T) {
	dir := newJob(t, copyJob, "")
	tests := []struct {
		name string
		args string
		want []string
	}{
		{"unknown command", "rum", []string{`wasmill: unknown command "rum"`, "Did you mean this?\n\trun", "see wasmill --help"}},
		{"no job", "run", []string{"wasmill: JOB is missing: write wasmill run JOB [flags]\n", "see wasmill run --help"}},
		{"two jobs", "run a b", []string{`wasmill: "b" is one argument too many: write wasmill run JOB [flags]`}},
		{"one argument of two", "new go", []string{"wasmill: DIR is missing: write wasmill new LANG DIR [flags]\n"}},
		{"unknown flag", "run job.yaml --frsh", []string{"unknown flag: --frsh"}},
		{"value of a flag", "run job.yaml --output yaml", []string{`invalid argument "yaml" for "--output" flag: it is one of table, json`}},
		{"isolation without a process", "run job.yaml --isolate-cpus 1", []string{"wasmill: --isolate-cpus is for a job in a process of its own: give --isolate as well\n"}},
		{"memory for no process", "run job.yaml --isolate --isolate-memory 1MiB", []string{"wasmill: --isolate-memory 1MiB is too little for the process itself: give 32MiB at least\n"}},
		{"less than no CPU", "run job.yaml --isolate --isolate-cpus -1", []string{"wasmill: --isolate-cpus -1 is not between 0.01 and 10000\n"}},
		{"CPUs that are no number", "run job.yaml --isolate --isolate-cpus nan", []string{"wasmill: --isolate-cpus NaN is not between"}},
		{"no time to answer", "run job.yaml --isolate --isolate-heartbeat 0s", []string{"wasmill: --isolate-heartbeat 0s is too short for an answer: give 100ms at least\n"}},
		{"no such file", "run none.yaml", []string{"wasmill: job file: open none.yaml: no such file or directory\n"}},
		{"a directory", "validate .", []string{"wasmill: job file: . is a directory: name the job file in it\n"}},
		{"set without a path", "plan job.yaml --set x", []string{"--set: "}},
		{"unknown language", "new cobol step", []string{`wasmill: no SDK for "cobol" in this build: it has go`}},
		{"directory with files", "new go in", []string{"in is not empty"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := wasmill(t, dir, strings.Fields(tt.args)...)
			r.has(t, 2, tt.want...)
			if r.stdout != "" {
				t.Errorf("standard output: %q", r.stdout)
			}
		})
	}
}

func TestWasmill_Help(t *testing.T) {
	r := wasmill(t, t.TempDir())
	r.has(t, 0)
	for _, c := range []string{"run", "validate", "plan", "schema", "inspect", "new", "build", "test", "dev", "version"} {
		if !strings.Contains(r.stdout, "\n  "+c+" ") {
			t.Errorf("help lacks %s:\n%s", c, r.stdout)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		r := wasmill(t, t.TempDir(), arg)
		r.has(t, 0)
		if !strings.HasPrefix(r.stdout, "wasmill ") || !strings.Contains(r.stdout, "(ABI 1.1, go1.") || strings.Count(r.stdout, "\n") != 1 {
			t.Errorf("%s: got %q", arg, r.stdout)
		}
	}
}
