package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
)

// devOverrides returns what wasmill dev changes in a job: its state and the
// files of its sinks lie in .wasmill/dev/JOB. What set says of a sink counts
// more.
func devOverrides(spec *jobspec.Spec, set []string) (over jobspec.Overrides) {
	dir := filepath.Join(spec.Dir, ".wasmill", "dev", spec.Job)
	over.StateDir = filepath.Join(dir, "state")
	for _, s := range spec.Sinks {
		for _, f := range s.Kind.Fields {
			if f.Type != plugins.Path || s.Config.String(f.Name) == "" {
				continue
			}
			path, err := json.Marshal(filepath.Join(dir, s.Name)) // is YAML as well
			if err == nil {
				over.Set = append(over.Set, fmt.Sprintf("sinks.%s.%s.%s=%s", s.Name, s.Kind.Name, f.Name, path))
			}
		}
	}
	over.Set = append(over.Set, set...)
	return over
}
