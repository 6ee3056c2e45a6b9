package jobspec_test

import (
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
)

func TestSpec_RecordPolicy(t *testing.T) {
	text := `
job: j
sources: {s: {walk: {root: .}}}
steps:
  own: {from: s, key: true, on_error: {record: skip}}
  jobs: {from: own, key: /a, on_error: {}}
  pointers: {from: jobs, key: /a~0/~1/}
sinks: {o: {from: pointers, stdout: }}
on_error: {record: {dead_letter: o}}
`
	spec, err := jobspec.Parse("job.yaml", []byte(text), jobspectest.Registry(), jobspec.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int]jobspec.RecordAction{-1: jobspec.DeadLetter, 0: jobspec.Skip, 1: jobspec.DeadLetter, 3: jobspec.DeadLetter} {
		if got := spec.RecordPolicy(step); got.Action != want || want == jobspec.DeadLetter && got.Sink != "o" {
			t.Errorf("step %d: got %+v, want %s", step, got, want)
		}
	}
}
