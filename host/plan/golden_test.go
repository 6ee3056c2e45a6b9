package plan_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
	"github.com/wasmill/wasmill/host/plan"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files of testdata")

// parse returns the plan of a job file that stands in testdata.
func parse(t *testing.T, text string) *plan.Plan {
	t.Helper()
	spec, err := jobspec.Parse("testdata/job.yaml", []byte(text), jobspectest.Registry(), jobspec.Overrides{CPUs: 4})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// digests are those of modules that are named as their steps.
func digests(p *plan.Plan) map[string]string {
	d := map[string]string{}
	for _, s := range p.Spec.Steps {
		if s.Wasm != "" {
			d[s.Name] = "sha256:" + s.Name
		}
	}
	return d
}

// Each file of testdata has a job file, then what becomes of it: the text,
// the identity and the JSON of its plan.
func TestPlan_Golden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			job, _, _ := strings.Cut(string(data), "---- text\n")
			p := parse(t, job)
			var b strings.Builder
			b.WriteString(job + "---- text\n")
			if err := p.Text(&b); err != nil {
				t.Fatal(err)
			}
			b.WriteString("---- identity\n")
			id := p.Identity(digests(p))
			for _, k := range slices.Sorted(maps.Keys(id)) {
				fmt.Fprintf(&b, "%s = %s\n", k, id[k])
			}
			b.WriteString("---- json\n")
			text, err := p.JSON()
			if err != nil {
				t.Fatal(err)
			}
			b.Write(text)
			got := strings.ReplaceAll(b.String(), dir, "$DIR")
			if *rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(data) {
				t.Errorf("--- got\n%s\n--- want\n%s", got, data)
			}
		})
	}
}
