package main_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files of testdata")

func TestValidate_ReportsAllFaultsAsTheyAre(t *testing.T) {
	dir := newJob(t, "job: broken\nsources:\n  in:\n    walk: {rot: ./in}\nsinks:\n  out:\n    from: inn\n    stdout: {}\n", "")
	var reg plugins.Registry
	file.Register(&reg, io.Discard)
	t.Chdir(dir)
	_, err := jobspec.Load("job.yaml", &reg, jobspec.Overrides{})
	want := err.Error() + "\n"
	if strings.Count(want, "\n") < 6 {
		t.Fatalf("want at least two faults of three lines, not\n%s", want)
	}
	for _, command := range []string{"validate", "run", "plan"} {
		r := wasmill(t, dir, command, "job.yaml")
		if r.code != 2 || r.stderr != want || r.stdout != "" {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%s\nwant 2 and\n%s", command, r.code, r.stdout, r.stderr, want)
		}
	}
}

func TestValidate_SaysThatAJobIsValid(t *testing.T) {
	r := wasmill(t, newJob(t, copyJob, ""), "validate", "job.yaml")
	if r.code != 0 || r.stderr != "job.yaml: job copy is valid\n" || r.stdout != "" {
		t.Errorf("got %+v", r)
	}
}

func TestPlan_Golden(t *testing.T) {
	dir := newJob(t, guestJob, "")
	write(t, dir, "guest.wasm", "not read")
	for _, output := range []string{"table", "json"} {
		r := wasmill(t, dir, "plan", "job.yaml", "--output", output, "--set", "epoch=1s")
		r.has(t, 0)
		got := strings.ReplaceAll(r.stdout, dir, "DIR")
		golden := "testdata/plan." + output
		if *rewrite {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", output, got, want)
		}
	}
}

func TestSchema_IsThatOfTheConnectors(t *testing.T) {
	var reg plugins.Registry
	file.Register(&reg, io.Discard)
	r := wasmill(t, t.TempDir(), "schema")
	if r.code != 0 || !bytes.Equal([]byte(r.stdout), jobspec.Schema(&reg)) {
		t.Errorf("exit code %d, got\n%s", r.code, r.stdout)
	}
	if !json.Valid([]byte(r.stdout)) {
		t.Error("it is no JSON")
	}
}
