package jobspec_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files of testdata")

// load reads a fixture. Its first lines may hold what the command line and the
// environment add: "# set: path=value", "# env: NAME=value", "# state-dir: DIR".
func load(t *testing.T, path string) (*jobspec.Spec, error) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	o := jobspec.Overrides{WorkDir: "testdata/work", CPUs: 4}
	o.Env = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for line := range strings.Lines(string(data)) {
		directive, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch directive {
		case "# set":
			o.Set = append(o.Set, strings.ReplaceAll(value, `\n`, "\n"))
		case "# env":
			name, v, _ := strings.Cut(value, "=")
			env[name] = v
		case "# state-dir":
			o.StateDir = value
		}
	}
	return jobspec.Parse(path, data, jobspectest.Registry(), o)
}

// fixtures returns the job files of a directory.
func fixtures(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures in %s: %v", dir, err)
	}
	return files
}

// golden compares got with the file beside a fixture.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

// dump is a Spec as JSON, with kinds by name and paths below testdata.
func dump(t *testing.T, s *jobspec.Spec) string {
	t.Helper()
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	type source struct {
		jobspec.Source
		Kind string
	}
	type sink struct {
		jobspec.Sink
		Kind string
	}
	out := struct {
		jobspec.Spec
		Sources []source
		Sinks   []sink
	}{Spec: *s}
	for _, x := range s.Sources {
		out.Sources = append(out.Sources, source{x, x.Kind.Name})
	}
	for _, x := range s.Sinks {
		out.Sinks = append(out.Sinks, sink{x, x.Kind.Name})
	}
	if err := e.Encode(out); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(buf.String(), root, "$TESTDATA")
}
