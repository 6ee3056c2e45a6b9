package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/container"
	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/plugins"
	"github.com/wasmill/wasmill/plugins/file"
)

const wordCountJob = "../examples/word-count/job.yaml"

// plainWordCount is the independent program: a word is a maximal run of ASCII
// letters, lower-cased.
func plainWordCount(root string) (map[string]int64, error) {
	counts := map[string]int64{}
	return counts, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		notLetter := func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
		for _, word := range strings.FieldsFunc(string(text), notLetter) {
			counts[strings.ToLower(word)]++
		}
		return err
	})
}

// goSource is the source tree of the Go standard library, or a part of it.
func goSource(t testing.TB, part string) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src", part)
}

// plain remembers what plainWordCount says of a tree.
var plain struct {
	sync.Mutex
	counts map[string]map[string]int64
}

func wantWords(t testing.TB, root string) map[string]int64 {
	t.Helper()
	plain.Lock()
	defer plain.Unlock()
	if c := plain.counts[root]; c != nil {
		return c
	}
	c, err := plainWordCount(root)
	if err != nil {
		t.Fatal(err)
	}
	if plain.counts == nil {
		plain.counts = map[string]map[string]int64{}
	}
	plain.counts[root] = c
	return c
}

// readWords reads what a word count wrote; every word must be there once, and
// nothing else in the directory.
func readWords(t testing.TB, dir string) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "part-") || !strings.HasSuffix(e.Name(), ".jsonl") {
			t.Errorf("left in the output: %s", e.Name())
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r struct {
				Word  string
				Count int64
			}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v: %s", e.Name(), err, lines.Bytes())
			}
			if _, ok := counts[r.Word]; ok {
				t.Errorf("%s: %q twice", e.Name(), r.Word)
			}
			counts[r.Word] = r.Count
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return counts
}

func compareWords(t testing.TB, got, want map[string]int64) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	bad := 0
	for w, n := range want {
		if got[w] != n && bad < 10 {
			t.Errorf("%q: %d, want %d", w, got[w], n)
			bad++
		}
	}
	t.Fatalf("%d words, want %d", len(got), len(want))
}

// wordCount are the options of a word count over root with n tasks on each
// side, in a directory that holds state and output.
func wordCount(dir, root string, n int, set ...string) host.Options {
	reg := new(plugins.Registry)
	file.Register(reg, os.Stdout)
	set = append([]string{
		"sources.docs.walk.root=" + root, fmt.Sprint("sources.docs.tasks=", n), fmt.Sprint("steps.by-word.partitions=", n),
		"sinks.out.file.path=" + filepath.Join(dir, "out"),
	}, set...)
	return host.Options{
		File: wordCountJob, Registry: reg,
		Overrides: jobspec.Overrides{Set: set, StateDir: filepath.Join(dir, "state")},
	}
}

func runJob(ctx context.Context, o host.Options) (out container.Outcome, err error) {
	j, err := host.Open(ctx, o)
	if err != nil {
		return out, err
	}
	out, err = j.Run(ctx)
	if e := j.Close(); err == nil {
		err = e
	}
	return out, err
}

func TestWordCount_EqualsAPlainProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("counts the whole standard library")
	}
	root := goSource(t, "")
	want := wantWords(t, root)
	for _, n := range []int{1, 2, 8} {
		t.Run(fmt.Sprint("tasks=", n), func(t *testing.T) {
			dir := t.TempDir()
			out, err := runJob(t.Context(), wordCount(dir, root, n))
			if err != nil || !out.Finished {
				t.Fatalf("%+v, %v", out, err)
			}
			compareWords(t, readWords(t, filepath.Join(dir, "out")), want)
		})
	}
}
