package conformance_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/fixture"
)

// testCase is a fixture with its name and, where that is not all, more that
// has to hold.
type testCase struct {
	name    string
	file    string // "" if it is made here
	fixture *fixture.Fixture
	loose   bool // texts of failures are the language's own in part
	also    func(*fixture.Result) []string
}

// cases returns all: those of testdata, and those that are too large for it.
func cases(t *testing.T) (all []testCase) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d fixtures: %v", len(files), err)
	}
	for _, file := range files {
		f, err := fixture.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		c := testCase{name: strings.TrimSuffix(filepath.Base(file), ".yaml"), file: file, fixture: f}
		switch c.name {
		case "panic", "limits":
			c.loose = true
		case "init-fails":
			c.loose, c.also = true, logged("configured to fail")
		case "case-missing", "case-unknown":
			c.loose = true
		}
		all = append(all, c)
	}
	return append(all, made(t)...)
}

// logged asks for a line in the log.
func logged(text string) func(*fixture.Result) []string {
	return func(r *fixture.Result) []string {
		if slices.ContainsFunc(r.Logs, func(l fixture.Log) bool { return strings.Contains(l.Text, text) }) {
			return nil
		}
		return []string{fmt.Sprintf("no log line has %q: %v", text, r.Logs)}
	}
}

// differences returns where a result is not what a case expects.
func (c *testCase) differences(r *fixture.Result) []string {
	diff := fixture.Compare(c.fixture, r)
	if !c.loose {
		diff = append(diff, c.exact(r)...)
	}
	if c.also != nil {
		diff = append(diff, c.also(r)...)
	}
	return diff
}

// exact compares what a user's fixture leaves open: the whole text of a
// rejection, and the cause of each record.
func (c *testCase) exact(r *fixture.Result) (diff []string) {
	for i, want := range c.fixture.Expect.Failed {
		if i >= len(r.Failed) {
			break
		}
		if got := r.Failed[i]; got.Class != "rejected" || got.Text != want.Text || got.Code != want.Code {
			diff = append(diff, fmt.Sprintf("failed record %d: want rejected, code %d, %q, got %s, code %d, %q",
				got.Record, want.Code, want.Text, got.Class, got.Code, got.Text))
		}
	}
	for i, want := range c.fixture.Expect.Records {
		if want.Cause == fixture.AnyCause {
			diff = append(diff, fmt.Sprintf("record %d of the fixture has no cause: run the test with -sdk go -rewrite", i))
		}
	}
	return diff
}
