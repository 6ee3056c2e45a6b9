// Package docs_test holds the pages of this directory against the code.
package docs_test

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/plan"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the parts of the pages that are made from the code")

const page = "job-file.md"

func registry() *plugins.Registry {
	reg := &plugins.Registry{}
	file.Register(reg, io.Discard)
	return reg
}

func TestJobFile_HasEveryKey(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := block(t, string(data), "keys", jobspec.Reference())
	text = block(t, text, "connectors", jobspec.ConnectorReference(registry()))
	if text == string(data) {
		return
	}
	if !*rewrite {
		t.Fatalf("%s does not have the keys of the code: run go test ./docs -rewrite", page)
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// block puts made between two marks of a page.
func block(t *testing.T, text, name, made string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	i, j := strings.Index(text, begin), strings.Index(text, end)
	if i < 0 || j < i {
		t.Fatalf("%s has no marks for %s", page, name)
	}
	return text[:i+len(begin)] + "\n" + strings.TrimSpace(made) + "\n\n" + text[j:]
}

var (
	fence  = regexp.MustCompile("(?ms)^```(yaml|text)\n(.*?)^```$")
	module = regexp.MustCompile(`wasm: \./(\S+)`)
)

// Each job of the page is read; one with a text behind it has just these faults.
func TestJobFile_Examples(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all := fence.FindAllStringSubmatch(string(data), -1)
	jobs := 0
	for i, f := range all {
		if f[1] != "yaml" {
			continue
		}
		jobs++
		t.Chdir(t.TempDir())
		for _, m := range module.FindAllStringSubmatch(f[2], -1) {
			if err := os.MkdirAll(m[1], 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(m[1], "go.mod"), []byte("module step\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		spec, err := jobspec.Parse("job.yaml", []byte(f[2]), registry(), jobspec.Overrides{})
		if i+1 < len(all) && all[i+1][1] == "text" {
			var faults jobspec.Faults
			if !errors.As(err, &faults) || faults.Error()+"\n" != all[i+1][2] {
				t.Errorf("got\n%v\nwant\n%s", err, all[i+1][2])
			}
			continue
		}
		if err != nil {
			t.Errorf("%v in\n%s", err, f[2])
			continue
		}
		if _, err := plan.Make(spec); err != nil {
			t.Errorf("%v in\n%s", err, f[2])
		}
	}
	if jobs != 2 {
		t.Errorf("the page has %d jobs, want 2", jobs)
	}
}
