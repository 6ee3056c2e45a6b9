package conformance_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

// culprits are records that harm the instance, and the classes that they may
// come to as dead letters: what a language makes of them differs, whether it
// costs more than the record does not.
var culprits = []struct {
	name, step, value string
	classes           []string
}{
	{"loop", "loop", "loop", []string{"timeout"}},
	{"oom", "loop", "oom", []string{"memory", "trap", "exit", "rejected"}},
	{"exit", "loop", "exit", []string{"exit", "trap", "rejected"}},
	{"panic", "fail", "panic on purpose", []string{"trap", "exit", "rejected"}},
}

// good is how many other records there are on each side of the culprit.
const good = 30

func TestJob_TheCulpritAloneIsRejected(t *testing.T) {
	if testing.Short() {
		t.Skip("records that loop take their time")
	}
	for _, language := range selected() {
		t.Run(language, func(t *testing.T) {
			built(t, language)
			for _, c := range culprits {
				t.Run(c.name, func(t *testing.T) {
					out, dead := runJob(t, language, c.step, c.value)
					var want []string
					for i := range 2 * good {
						want = append(want, fmt.Sprintf("good %02d", i))
					}
					if got := values(out); !slices.Equal(got, want) {
						t.Errorf("%d records came out, want %d: %q", len(got), len(want), got)
					}
					if len(dead) != 1 || dead[0].Value != c.value || !slices.Contains(c.classes, dead[0].Headers["wasmill-error-class"]) {
						t.Errorf("dead letters %v, want %q alone, of a class in %q", dead, c.value, c.classes)
					}
				})
			}
		})
	}
}

// letter is a record as the file sink writes it.
type letter struct {
	Value   string            `json:"value"`
	Headers map[string]string `json:"headers"`
}

func values(all []letter) (list []string) {
	for _, l := range all {
		list = append(list, l.Value)
	}
	return list
}

// runJob runs a job over good records with value in the middle, and returns
// what came out of it.
func runJob(t *testing.T, language, name, value string) (out, dead []letter) {
	t.Helper()
	dir := t.TempDir()
	var lines bytes.Buffer
	for i := range 2 * good {
		if i == good {
			fmt.Fprintln(&lines, value)
		}
		fmt.Fprintf(&lines, "good %02d\n", i)
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("in/lines.txt", lines.String())
	limit := "1m" // no machine is that slow
	if value == "loop" {
		limit = "1s"
	}
	write("job.yaml", fmt.Sprintf(`job: conform
sources:
  lines: {walk: {root: in, records: lines}, tasks: 1}
steps:
  step: {from: lines, wasm: %q, config: {case: %s}}
sinks:
  out: {from: step, file: {path: out, format: jsonl}}
  dead: {file: {path: dead, format: jsonl}}
on_error: {record: {dead_letter: dead}}
limits: {record: %s}
`, program(t, language), name, limit))
	var log bytes.Buffer
	reg := new(plugins.Registry)
	file.Register(reg, io.Discard)
	job, err := host.Open(t.Context(), host.Options{
		File: filepath.Join(dir, "job.yaml"), Registry: reg, Overrides: jobspec.Overrides{WorkDir: dir, CPUs: 1},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := job.Run(t.Context())
	if e := job.Close(); err == nil {
		err = e
	}
	if err != nil || !outcome.Finished {
		t.Fatalf("finished %v: %v\n%s", outcome.Finished, err, log.Bytes())
	}
	return read(t, filepath.Join(dir, "out")), read(t, filepath.Join(dir, "dead"))
}

// read returns the records that a file sink wrote.
func read(t *testing.T, dir string) (all []letter) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "part-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(parts)
	for _, part := range parts {
		text, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			var l letter
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				t.Fatalf("%s: %v: %s", part, err, lines.Bytes())
			}
			all = append(all, l)
		}
	}
	return all
}
