package epoch_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/epoch"
	"github.com/wasmill/wasmill/host/plan"
)

func TestResolve(t *testing.T) {
	job := map[string]string{"job": "a", "step count": "stores totals"}
	other := map[string]string{"job": "a", "step count": "stores sums"}
	moved := map[string]string{"job": "a", "step count": "stores totals", "sinks.out.file.path": "/b"}
	renamed := map[string]string{"job": "b", "step count": "stores totals"}
	// Every fact differs from those of a job that goes on in what is said.
	facts := func(change func(*epoch.Facts)) epoch.Facts {
		f := epoch.Facts{Exists: true, Format: epoch.Format, Epoch: 1, Clean: true, Identity: maps.Clone(job), Wanted: maps.Clone(job)}
		change(&f)
		return f
	}
	for _, c := range []struct {
		name string
		f    epoch.Facts
		want epoch.Decision
		text string // in the reason of a refusal
	}{
		{"nothing is there", epoch.Facts{Wanted: job}, epoch.Begin, ""},
		{"nothing is there to drop", epoch.Facts{Wanted: job, Fresh: true}, epoch.Begin, ""},
		{"the same job", facts(func(*epoch.Facts) {}), epoch.Resume, ""},
		{"a crash between decision and finalise", facts(func(f *epoch.Facts) { f.Clean = false }), epoch.Resume, ""},
		{"it has ended", facts(func(f *epoch.Facts) { f.Finished = true }), epoch.Nothing, ""},
		{"it has ended and is not finalised", facts(func(f *epoch.Facts) { f.Finished, f.Clean = true, false }), epoch.Resume, ""},
		{"it has ended, but start over", facts(func(f *epoch.Facts) { f.Finished, f.Fresh = true, true }), epoch.Restart, ""},
		{"start over", facts(func(f *epoch.Facts) { f.Fresh = true }), epoch.Restart, ""},
		{"it has changed", facts(func(f *epoch.Facts) { f.Wanted = other }), epoch.Refuse, "stores sums"},
		{"nothing is committed", facts(func(f *epoch.Facts) { f.Epoch, f.Clean = 0, false }), epoch.Begin, ""},
		{"it has changed before its first commit", facts(func(f *epoch.Facts) { f.Wanted, f.Epoch, f.Clean = other, 0, false }), epoch.Begin, ""},
		{"its sinks have changed before its first commit", facts(func(f *epoch.Facts) { f.Wanted, f.Epoch, f.Clean = moved, 0, false }), epoch.Refuse, "/b"},
		{"its name has changed before its first commit", facts(func(f *epoch.Facts) { f.Wanted, f.Epoch, f.Clean = renamed, 0, false }), epoch.Refuse, "is now b"},
		{"it has changed and ended", facts(func(f *epoch.Facts) { f.Wanted, f.Finished = other, true }), epoch.Refuse, "stores totals"},
		{"it has changed, start over", facts(func(f *epoch.Facts) { f.Wanted, f.Fresh = other, true }), epoch.Restart, ""},
		{"another format", facts(func(f *epoch.Facts) { f.Format++ }), epoch.Refuse, "has format 2, this build reads format 1"},
		{"another format, start over", facts(func(f *epoch.Facts) { f.Format, f.Fresh = 0, true }), epoch.Restart, ""},
		{"another format and job", facts(func(f *epoch.Facts) { f.Format, f.Wanted = 9, other }), epoch.Refuse, "format 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := epoch.Resolve(c.f)
			if got != c.want || (err != nil) != (c.want == epoch.Refuse) {
				t.Fatalf("decided %d, %v; want %d", got, err, c.want)
			}
			if err != nil && (!strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "--fresh")) {
				t.Errorf("%q lacks %q or what to do", err, c.text)
			}
		})
	}
}

func TestResolve_NamesBothValues(t *testing.T) {
	_, err := epoch.Resolve(epoch.Facts{
		Exists: true, Format: epoch.Format, Epoch: 1,
		Identity: map[string]string{"a": "1", "gone": "x", "same": "s"},
		Wanted:   map[string]string{"a": "2", "new": "y", "same": "s"},
	})
	var changed *epoch.ChangedError
	if !errors.As(err, &changed) || len(changed.Changes) != 3 {
		t.Fatalf("%v, want three changes", err)
	}
	for _, c := range plan.Changes(map[string]string{"a": "1", "gone": "x"}, map[string]string{"a": "2", "new": "y"}) {
		if !strings.Contains(err.Error(), "\n  "+c.String()+"\n") {
			t.Errorf("%q lacks %q", err, c)
		}
	}
}
