package conformance_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wasmill/wasmill/host/fixture"
	"github.com/wasmill/wasmill/host/guest"
)

// options say where the program runs: case info tells it.
var options = fixture.Options{Tenant: "acme", Job: "conform", Step: "step", RecordTime: 20 * time.Second}

func TestConformance(t *testing.T) {
	all := cases(t)
	for _, language := range selected() {
		t.Run(language, func(t *testing.T) {
			step := built(t, language)
			m := compiled(t, language, step.Bytes)
			for _, c := range all {
				t.Run(c.name, func(t *testing.T) { c.run(t, language, m) })
			}
		})
	}
}

// run runs the case twice, on two instances: what comes out is as expected,
// and the same both times.
func (c *testCase) run(t *testing.T, language string, m guest.Module) {
	first, err := fixture.Run(t.Context(), m, c.fixture, options)
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite && language == "go" && c.file != "" && !c.loose {
		if err := fixture.Update(c.file, first); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := c.differences(first); len(diff) > 0 {
		t.Fatalf("it is not as expected:\n  %s\nits log:%s", strings.Join(diff, "\n  "), lines(first.Logs))
	}
	second, err := fixture.Run(t.Context(), m, c.fixture, options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := fixture.Same(c.fixture, first, second); len(diff) > 0 {
		t.Errorf("the second time it is not what it was:\n  %s", strings.Join(diff, "\n  "))
	}
}

// lines shows the last lines of a log.
func lines(logs []fixture.Log) string {
	const most = 10
	var b strings.Builder
	for _, l := range logs[max(0, len(logs)-most):] {
		b.WriteString("\n  " + l.Level + ": " + l.Text)
	}
	return b.String()
}

// Every language that has an SDK has a conformance program.
func TestConformance_NoLanguageIsMissing(t *testing.T) {
	var missing []string
	for _, language := range languages {
		if _, err := os.Stat(program(t, language)); err != nil {
			missing = append(missing, language)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no conformance program in guests of: %s", strings.Join(missing, ", "))
	}
}
