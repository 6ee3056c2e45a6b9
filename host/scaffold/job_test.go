package scaffold_test

import (
	"path/filepath"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
	"github.com/wasmill/wasmill/host/scaffold"
)

func TestWrite_JobIsValid(t *testing.T) {
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "My Step")
			if _, err := scaffold.Write(dir, scaffold.Options{Lang: lang}); err != nil {
				t.Fatal(err)
			}
			spec, err := jobspec.Load(filepath.Join(dir, "job.yaml"), jobspectest.Registry(), jobspec.Overrides{})
			if err != nil {
				t.Fatal(err)
			}
			if spec.Job != "my-step" || len(spec.Steps) != 1 || spec.Steps[0].Wasm != dir {
				t.Errorf("job %s, steps %+v", spec.Job, spec.Steps)
			}
		})
	}
}
