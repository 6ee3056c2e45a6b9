package jobspec_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/jobspec"
	"github.com/wasmill/wasmill/host/jobspec/jobspectest"
)

func TestLoad_GoodFixtures(t *testing.T) {
	for _, path := range fixtures(t, "good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			spec, err := load(t, path)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".json", dump(t, spec))
		})
	}
}

func TestLoad_BadFixtures(t *testing.T) {
	for _, path := range fixtures(t, "bad") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden(t, strings.TrimSuffix(path, ".yaml")+".txt", faultsOf(t, path).Error()+"\n")
		})
	}
}

func faultsOf(t *testing.T, path string) jobspec.Faults {
	t.Helper()
	spec, err := load(t, path)
	var faults jobspec.Faults
	if !errors.As(err, &faults) || spec != nil {
		t.Fatalf("%s: got %v, %v, want faults", path, spec, err)
	}
	return faults
}

// Files whose faults are a matter of size are made, not stored.
var made = map[string]struct{ data, want string }{
	"a file above 1 MiB": {
		"job: a # " + strings.Repeat("x", 1<<20),
		"job.yaml: the file is larger than 1 MiB",
	},
	"nesting": {
		"job: a\nsources: " + strings.Repeat("[", 70) + strings.Repeat("]", 70),
		"job.yaml:2:74: nested deeper than 64 levels",
	},
	"an alias bomb": {
		"a: &a [1,2,3,4,5,6,7,8,9,0]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
		"job.yaml: more than 100,000 values, aliases counted as often as they are used",
	},
	"too many steps": {
		"job: a\nsources: {s: {walk: {root: .}}}\nsinks: {o: {from: s, stdout: }}\nsteps:\n" + manySteps(1001),
		"job.yaml:5:2: more than 1,000 entries in steps",
	},
}

func manySteps(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " s%d: {from: s, key: true}\n", i)
	}
	return b.String()
}

func TestParse_Bounds(t *testing.T) {
	for name, m := range made {
		t.Run(name, func(t *testing.T) {
			_, err := jobspec.Parse("job.yaml", []byte(m.data), jobspectest.Registry(), jobspec.Overrides{})
			if got, _, _ := strings.Cut(fmt.Sprint(err), "\n"); got != m.want {
				t.Errorf("got  %s\nwant %s", got, m.want)
			}
		})
	}
}

// Each message of messages.go is in a fixture with its exact text.
func TestMessages_HaveFixtures(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range fixtures(t, "bad") {
		for _, f := range faultsOf(t, path) {
			seen[f.Format()] = true
		}
	}
	for _, m := range made {
		_, err := jobspec.Parse("job.yaml", []byte(m.data), jobspectest.Registry(), jobspec.Overrides{})
		var faults jobspec.Faults
		if errors.As(err, &faults) {
			for _, f := range faults {
				seen[f.Format()] = true
			}
		}
	}
	all := messages(t)
	if len(all) < 60 {
		t.Fatalf("found only %d messages in messages.go", len(all))
	}
	for name, format := range all {
		if !seen[format] {
			t.Errorf("%s has no fixture: %s", name, format)
		}
	}
}

// messages returns the constants of type message, by name.
func messages(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "messages.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, "msg") {
			return true
		}
		s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		all[v.Names[0].Name] = s
		return true
	})
	return all
}

func TestLoad_NoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := jobspec.Load(filepath.Join(dir, "job.yaml"), jobspectest.Registry(), jobspec.Overrides{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: got %v", err)
	}
	_, err = jobspec.Load(dir, jobspectest.Registry(), jobspec.Overrides{})
	if err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: got %v", err)
	}
}

func TestLoad_ReadsTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "job.yaml")
	text := "\ufeffjob: a\nsources: {s: {walk: {root: in}}}\nsinks: {o: {from: s, stdout: }}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := jobspec.Load(path, jobspectest.Registry(), jobspec.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spec.Sources[0].Config.String("root"), filepath.Join(dir, "in"); got != want {
		t.Errorf("root is %s, want %s", got, want)
	}
	if got, want := spec.StateDir, filepath.Join(dir, ".wasmill", "a"); got != want {
		t.Errorf("state is in %s, want %s", got, want)
	}
	if spec.CPUs < 1 || spec.Sources[0].Tasks != spec.CPUs {
		t.Errorf("%d tasks with %d CPUs", spec.Sources[0].Tasks, spec.CPUs)
	}
}

func TestFaults_AreCounted(t *testing.T) {
	text := "job: a\nsources: {s: {walk: {root: in}}}\nsinks: {o: {from: s, stdout: }}\n"
	for i := range 60 {
		text += fmt.Sprintf("unknown%d: 1\n", i)
	}
	_, err := jobspec.Parse("job.yaml", []byte(text), jobspectest.Registry(), jobspec.Overrides{})
	if !strings.HasSuffix(fmt.Sprint(err), "\nand 10 more faults") {
		t.Errorf("got %v", err)
	}
}
