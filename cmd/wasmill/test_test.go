package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const foxFixture = `# the text and what has it
config: {match: fox}
records:
  - {value: the quick fox}
  - {key: a, value: the lazy dog}
  - {value: "a fox\0"}
`

// newStep makes a step in Go without fixtures and returns its directory.
func newStep(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "hello")
	wasmill(t, filepath.Dir(dir), "new", "go", dir).has(t, 0)
	if err := os.RemoveAll(filepath.Join(dir, "tests")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// says fails the test unless the texts are on standard output.
func (r result) says(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.stdout, text) {
			t.Errorf("standard output lacks %q:\n%s", text, r.stdout)
		}
	}
}

func TestTest_TellsWhatDiffersAndUpdates(t *testing.T) {
	dir := newStep(t)
	write(t, dir, "own.go", "package main\n\n// No other test has built this.\n")
	write(t, dir, "tests/fox.yaml", foxFixture)
	got := wasmill(t, dir, "test")
	got.has(t, 1, "building . (once, some seconds)…")
	got.says(t, "FAIL  tests/fox.yaml\n", "      record 0: not expected: {value: the quick fox, cause: 0}\n",
		`      record 2 of the batches: it failed: rejected: "not a line of text"`, "fuel/record")

	got = wasmill(t, dir, "test", "--update")
	got.has(t, 0)
	got.says(t, "ok    tests/fox.yaml  updated\n")
	text, err := os.ReadFile(filepath.Join(dir, "tests/fox.yaml"))
	if err != nil || !strings.HasPrefix(string(text), foxFixture+"expect:\n") {
		t.Errorf("%v\n%s", err, text)
	}

	got = wasmill(t, filepath.Dir(dir), "test", "hello/job.yaml", "hello", "--twice", "--output", "json")
	got.has(t, 0)
	var report []struct {
		Step, Language, Fixture string
		Passed, Updated         bool
		Records                 int
		Fuel                    uint64
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatal(err)
	}
	if len(report) != 1 {
		t.Fatalf("one step under two names: %+v", report)
	}
	if r := report[0]; !r.Passed || r.Updated || r.Language != "Go" || r.Fixture != "fox" || r.Records != 3 || r.Fuel == 0 {
		t.Errorf("%+v", r)
	}
}

func TestTest_SaysWhyNothingIsRun(t *testing.T) {
	dir := newStep(t)
	wasmill(t, dir, "test").has(t, 2, "no fixtures: write one to tests/NAME.yaml")
	write(t, dir, "tests/fox.yaml", foxFixture)
	wasmill(t, dir, "test", "--run", "dog").has(t, 2, "no fixture in tests matches --run dog")
	wasmill(t, dir, "test", "--run", "(").has(t, 2, "--run: error parsing regexp")
	write(t, dir, "tests/bad.yaml", "record: []\nend: 1\n")
	wasmill(t, dir, "test").has(t, 2, "tests/bad.yaml:1:1: unknown key \"record\" in a fixture", "\ntests/bad.yaml:2:6: end is true or false")
	wasmill(t, dir, "test", "--run", "^fox$").has(t, 1)
	wasmill(t, dir, "test", "none").has(t, 2, "none does not exist")
	write(t, dir, "main.go", "package main\n\nfunc main() { undefined() }\n")
	wasmill(t, dir, "test", "--run", "fox").has(t, 2, "undefined: undefined")
}

func TestTesting_DoesWhatItShows(t *testing.T) {
	if testing.Short() {
		t.Skip("builds modules with Go for WebAssembly")
	}
	t.Parallel()
	follow(t, t.TempDir(), blocks(t, "../../docs/testing.md"))
}
