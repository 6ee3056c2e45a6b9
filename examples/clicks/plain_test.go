package clicks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The independent program: what the job has to come to, without a job.

// config is that of step parse in job.yaml.
var (
	regions   = map[string]string{"de": "europe", "fr": "europe", "gb": "europe", "jp": "asia", "kr": "asia", "us": "america", "br": "america"}
	otherwise = "elsewhere"
)

// plain is what comes of the lines of data: by page the totals after each
// click on it, and the lines that are rejected with the reason.
type plain struct {
	pages   map[string][]string
	rejects []reject
}

type reject struct{ line, why string }

type total struct {
	Page   string `json:"page"`
	Views  int64  `json:"views"`
	Ms     int64  `json:"ms"`
	Region string `json:"region"`
}

func plainly(t *testing.T) *plain {
	t.Helper()
	p := &plain{pages: map[string][]string{}}
	now := map[string]*total{}
	for _, day := range days {
		text, err := os.ReadFile(filepath.Join("data", day.name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			click, why := parse(line)
			if why != "" {
				p.rejects = append(p.rejects, reject{string(line), why})
				continue
			}
			n := now[click.Page]
			if n == nil {
				n = &total{Page: click.Page}
				now[click.Page] = n
			}
			n.Views, n.Ms, n.Region = n.Views+1, n.Ms+click.Ms, click.Region
			p.pages[n.Page] = append(p.pages[n.Page], n.json(t))
		}
	}
	return p
}

// parse reads a click: Views of the result is not set.
func parse(line []byte) (click total, why string) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil || fields == nil {
		return click, "not JSON"
	}
	text := func(name string) (s string) {
		if raw := fields[name]; len(raw) > 0 && raw[0] == '"' {
			_ = json.Unmarshal(raw, &s) // it was found valid
		}
		return s
	}
	if text("user") == "" {
		return click, "user is missing"
	}
	if click.Page = text("page"); click.Page == "" {
		return click, "page is missing"
	}
	ms, isNumber := fields["ms"], false
	if len(ms) > 0 && ms[0] != '"' && string(ms) != "null" {
		isNumber = json.Unmarshal(ms, &click.Ms) == nil
	}
	if !isNumber || click.Ms < 0 || click.Ms > math.MaxInt32 {
		return click, "ms is not a number"
	}
	if click.Region = regions[text("country")]; click.Region == "" {
		click.Region = otherwise
	}
	return click, ""
}

// json writes a total as the steps do: escaped is only what has to be.
func (n *total) json(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(n); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// Neither side would notice if the data had nothing to tell apart.
func TestPlainly_FindsAllKindsOfRejects(t *testing.T) {
	kinds := map[string]int{}
	p := plainly(t)
	for _, r := range p.rejects {
		kinds[r.why]++
	}
	if len(kinds) != 4 || len(p.rejects) < 2*len(bad) || len(p.pages) < 40 {
		t.Errorf("%d pages, rejects %v", len(p.pages), fmt.Sprint(kinds))
	}
}
