package jobspec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
)

// FuzzParse looks for files and values of --set that Parse does not answer
// with a Spec or with faults that can be printed.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"good", "bad"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, "sources.docs.walk.root=/")
		}
	}
	f.Add([]byte("a: &a [*a]"), "a.0=[1")
	f.Add([]byte("? \n- {<<: [], <<: {}}"), "=")
	reg := jobspectest.Registry()
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		o := jobspec.Overrides{Set: []string{set}, CPUs: 2}
		spec, err := jobspec.Parse("testdata/good/fuzz.yaml", data, reg, o)
		if err == nil {
			if spec == nil || spec.Job == "" || len(spec.Sources) == 0 {
				t.Fatalf("neither faults nor a job: %+v", spec)
			}
			return
		}
		var faults jobspec.Faults
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("not faults: %v", err)
		}
		if text := faults.Error(); strings.ContainsAny(text, "\x00\x1b\r") {
			t.Fatalf("control characters in %q", text)
		}
	})
}
