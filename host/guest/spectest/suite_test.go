package spectest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// command is one line of a file of the suite, as wast2json writes it.
type command struct {
	Type       string  `json:"type"`
	Line       int     `json:"line"`
	Name       string  `json:"name"`
	Filename   string  `json:"filename"`
	As         string  `json:"as"`
	ModuleType string  `json:"module_type"`
	Text       string  `json:"text"`
	Expected   []value `json:"expected"`
	Action     struct {
		Type   string  `json:"type"`
		Module string  `json:"module"`
		Field  string  `json:"field"`
		Args   []value `json:"args"`
	} `json:"action"`
}

// traps maps the suite's words for traps to wazero's.
var traps = map[string]string{
	"out of bounds memory access":   "out of bounds memory access",
	"indirect call type mismatch":   "indirect call type mismatch",
	"indirect call":                 "indirect call type mismatch",
	"undefined element":             "invalid table access",
	"undefined":                     "invalid table access",
	"out of bounds table access":    "invalid table access",
	"integer overflow":              "integer overflow",
	"invalid conversion to integer": "invalid conversion to integer",
	"integer divide by zero":        "integer divide by zero",
	"unreachable":                   "unreachable",
}

func trapOf(text string) string {
	if strings.HasPrefix(text, "uninitialized") {
		return "invalid table access"
	}
	return traps[text]
}

// counts of what a run of the suite did.
type counts struct {
	mu         sync.Mutex
	modules    int
	refused    map[string]int // modules that were not rewritten, by the reason
	assertions map[string]int // held, by their type
	skipped    map[string]int // by the reason
}

func newCounts() *counts {
	return &counts{refused: map[string]int{}, assertions: map[string]int{}, skipped: map[string]int{}}
}

func (c *counts) rewritten() int { return c.modules - sum(c.refused) }

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// Reasons to skip a command.
const (
	skipText    = "a module in the text format: there is no binary to run"
	skipRefused = "the module was not rewritten"
	skipTable   = "active elements out of bounds: wazero instantiates such a module all the same, see its runner of the suite"
)

func suiteDir(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatalf("the suite is read from the module cache: go mod download github.com/tetratelabs/wazero: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
}

// suiteFiles returns the files of a version of the suite.
func suiteFiles(t *testing.T, version string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(suiteDir(t), version, "testdata", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of the suite: %v", err)
	}
	return files
}

// commands reads a file of the suite.
func commands(t *testing.T, file string) []command {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var suite struct{ Commands []command }
	if err := json.Unmarshal(raw, &suite); err != nil {
		t.Fatal(err)
	}
	return suite.Commands
}

// runSuite runs all files of a version of the suite in one form.
func runSuite(t *testing.T, version string, features api.CoreFeatures, f form, seen *coverage) *counts {
	t.Helper()
	files := suiteFiles(t, version)
	host, err := os.ReadFile(filepath.Join(suiteDir(t), "testdata", "spectest.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	c := newCounts()
	t.Run("files", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
				t.Parallel()
				m := newMachine(t, f, wazero.NewRuntimeConfig().WithCoreFeatures(features))
				if _, err := m.rt.Instantiate(m.ctx, host); err != nil {
					t.Fatal(err)
				}
				s := &script{machine: m, file: file, counts: c, seen: seen, named: map[string]*instance{}}
				s.run(t)
			})
		}
	})
	return c
}

// script runs the commands of one file.
type script struct {
	*machine
	file   string
	counts *counts
	seen   *coverage            // nil = not looked at
	named  map[string]*instance // nil instances could not be rewritten
	last   *instance
}

func (s *script) run(t *testing.T) {
	all := commands(t, s.file)
	for i, c := range all {
		as := ""
		if i+1 < len(all) && all[i+1].Type == "register" {
			as = all[i+1].As
		}
		switch skip, err := s.command(c, as); {
		case err != nil:
			t.Errorf("line %d: %s %s: %v", c.Line, c.Type, c.Action.Field, err)
		default:
			s.counts.count(c.Type, skip)
		}
	}
}

func (c *counts) count(what, skip string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case skip != "":
		c.skipped[skip]++
	case strings.HasPrefix(what, "assert_"):
		c.assertions[what]++
	}
}

// command runs one. It returns why it was skipped, or what did not hold.
func (s *script) command(c command, as string) (skip string, err error) {
	switch c.Type {
	case "register": // done with the module before it
		return "", nil
	case "module":
		return s.module(c, as)
	case "assert_malformed", "assert_invalid":
		if c.ModuleType == "text" {
			return skipText, nil
		}
		return "", s.refuses(c, false)
	case "assert_unlinkable":
		return "", s.refuses(c, true)
	case "assert_uninstantiable":
		if c.Text == "out of bounds table access" {
			_, err := s.load(c, "")
			return skipTable, err
		}
		return "", s.refuses(c, true)
	}
	i := s.last
	if c.Action.Module != "" {
		i = s.named[c.Action.Module]
	}
	if i == nil {
		return skipRefused, nil
	}
	return "", s.act(c, i)
}

func (s *script) act(c command, i *instance) error {
	if c.Action.Type == "get" {
		return matches([]uint64{i.ExportedGlobal(c.Action.Field).Get()}, c.Expected)
	}
	args, err := words(c.Action.Args)
	if err != nil {
		return err
	}
	results, err := s.call(i, c.Action.Field, args...)
	want := ""
	switch c.Type {
	case "assert_return", "action":
	case "assert_trap":
		want = trapOf(c.Text)
	case "assert_exhaustion":
		if want = overflow; s.form.options == nil {
			want = "stack overflow" // the engine's own
		}
	default:
		return fmt.Errorf("unknown command")
	}
	if got := kind(err); got != want || c.Type == "assert_trap" && want == "" {
		return fmt.Errorf("ended with %q, want %q (%s)", got, want, c.Text)
	}
	if want != "" {
		s.seen.trapped(want)
		return nil
	}
	if c.Type == "action" {
		return nil
	}
	return matches(results, c.Expected)
}

// load reads a module of the suite and makes an instance of it.
func (s *script) load(c command, as string) (*instance, error) {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(s.file), c.Filename))
	if err != nil {
		return nil, err
	}
	compiled, r, err := s.compile(b, s.seen.listen(b))
	if err != nil {
		return nil, err
	}
	return s.instantiate(compiled, r, as)
}

func (s *script) module(c command, as string) (skip string, err error) {
	s.counts.mu.Lock()
	s.counts.modules++
	s.counts.mu.Unlock()
	s.last, err = s.load(c, as)
	var refused rewriteError
	if errors.As(err, &refused) {
		s.counts.mu.Lock()
		s.counts.refused[filepath.Base(s.file)+": "+refused.Error()]++
		s.counts.mu.Unlock()
		s.last, err = nil, nil
	}
	if c.Name != "" {
		s.named[c.Name] = s.last
	}
	return "", err
}

// refuses checks that somebody on the way refuses a module: the parser, the
// rewriter, the compiler; or the linker, if it is valid.
func (s *script) refuses(c command, valid bool) error {
	_, err := s.load(c, "")
	var refused rewriteError
	switch {
	case err == nil:
		return fmt.Errorf("accepted, want %q", c.Text)
	case valid && errors.As(err, &refused):
		return fmt.Errorf("not rewritten, though it is valid: %w", err)
	}
	return nil
}
