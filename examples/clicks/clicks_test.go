// Package clicks_test runs the tutorial's job in all languages.
package clicks_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/guest/build/buildtest"
	"github.com/wasmill/wasmill/host/guest/compile"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

var sdk = flag.String("sdk", "", "run the job in this language alone")

func TestMain(m *testing.M) {
	if compile.Main(context.Background()) {
		return
	}
	flag.Parse()
	if err := buildtest.Use(); err != nil {
		fmt.Fprintln(os.Stderr, "steps are built with what is in PATH:", err)
	}
	os.Exit(m.Run())
}

// languages are those that the tutorial is written in.
var languages = []string{"rust", "python", "go", "c", "ts"}

// The job comes to the same bytes in all languages: those of a plain program.
func TestClicks_TheSameInAllLanguages(t *testing.T) {
	want := plainly(t)
	var first map[string][]byte
	for _, language := range languages {
		if *sdk != "" && *sdk != language {
			continue
		}
		t.Run(language, func(t *testing.T) {
			if testing.Short() && language != "go" && language != "c" {
				t.Skip("building it takes long")
			}
			dir := runJob(t, language)
			want.compareTotals(t, readLines(t, filepath.Join(dir, "totals")))
			want.compareRejects(t, readLines(t, filepath.Join(dir, "rejects")))
			files := readFiles(t, dir)
			if first == nil {
				first = files
			}
			if !slices.Equal(slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(first))) {
				t.Fatalf("files %v, another language has %v", slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(first)))
			}
			for name, text := range files {
				if !bytes.Equal(text, first[name]) {
					t.Errorf("%s is not what another language makes of it", name)
				}
			}
		})
	}
}

// runJob runs the job and returns the directory of its sinks. Tasks are few
// and fixed, so that the order of records is, too.
func runJob(t *testing.T, language string) string {
	t.Helper()
	dir := t.TempDir()
	var log bytes.Buffer
	reg := new(plugins.Registry)
	file.Register(reg, io.Discard)
	job, err := host.Open(t.Context(), host.Options{
		File: "job.yaml", Registry: reg, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Overrides: jobspec.Overrides{
			StateDir: filepath.Join(dir, "state"),
			Set: []string{
				"sources.clicks.tasks=1", "steps.by-page.partitions=3",
				"sinks.totals.file.path=" + filepath.Join(dir, "totals"), "sinks.rejects.file.path=" + filepath.Join(dir, "rejects"),
			},
			Env: func(name string) (string, bool) { return language, name == "CLICKS_SDK" },
		},
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
	return dir
}

// readFiles returns what the sinks wrote, without the one thing that differs:
// the digest of the step that rejected a record.
func readFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, sink := range []string{"totals", "rejects"} {
		for _, path := range parts(t, filepath.Join(dir, sink)) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			const mark = `"wasmill-module":"sha256:`
			for at := 0; ; {
				next := bytes.Index(text[at:], []byte(mark))
				if next < 0 {
					break
				}
				at += next + len(mark)
				copy(text[at:at+64], bytes.Repeat([]byte("0"), 64))
			}
			files[sink+"/"+filepath.Base(path)] = text
		}
	}
	return files
}

func parts(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "part-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

func readLines(t *testing.T, dir string) (lines []string) {
	t.Helper()
	for _, path := range parts(t, dir) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		scan := bufio.NewScanner(bytes.NewReader(text))
		for scan.Scan() {
			lines = append(lines, scan.Text())
		}
		if err := scan.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// compareTotals compares page by page: pages share files.
func (p *plain) compareTotals(t *testing.T, lines []string) {
	t.Helper()
	got := map[string][]string{}
	for _, line := range lines {
		var n total
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got[n.Page] = append(got[n.Page], line)
	}
	for page, want := range p.pages {
		if !slices.Equal(got[page], want) {
			t.Errorf("page %s:\n  got  %s\n  want %s", page, last(got[page]), last(want))
		}
	}
	if len(got) != len(p.pages) {
		t.Errorf("%d pages, want %d", len(got), len(p.pages))
	}
}

// last shows how many lines there are and the last of them.
func last(lines []string) string {
	if len(lines) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%d lines, the last %s", len(lines), lines[len(lines)-1])
}

func (p *plain) compareRejects(t *testing.T, lines []string) {
	t.Helper()
	if len(lines) != len(p.rejects) {
		t.Errorf("%d rejects, want %d", len(lines), len(p.rejects))
	}
	for i, line := range lines[:min(len(lines), len(p.rejects))] {
		var got struct {
			Key     *string           `json:"key"`
			Value   string            `json:"value"`
			Headers map[string]string `json:"headers"`
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		h, want := got.Headers, p.rejects[i]
		if got.Key != nil || got.Value != want.line || h["wasmill-error"] != want.why || h["wasmill-error-class"] != "rejected" ||
			h["wasmill-error-code"] != "0" || h["wasmill-step"] != "parse" || !strings.HasPrefix(h["wasmill-module"], "sha256:") {
			t.Errorf("reject %d: %s\nwant %q because of %q", i, line, want.line, want.why)
		}
	}
}
