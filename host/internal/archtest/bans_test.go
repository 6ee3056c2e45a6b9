package archtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ban forbids calls in what is compiled into a binary, tests aside.
type ban struct {
	calls []string          // pkg.Func; pkg.Func* stands for all that begin so
	in    []string          // packages where they are fine
	allow map[string]string // files where they are, with the reason
	why   string
}

var bans = []ban{
	{calls: []string{"fmt.Print*", "os.Exit", "log.*"}, in: []string{"cmd/wasmill", "bench/plot"},
		why: "standard output and the process belong to the binary"},
	{calls: []string{"context.Background", "context.TODO"}, in: []string{"cmd/wasmill"},
		allow: map[string]string{"host/host.go": "Close frees what is there also when the run's context has ended"},
		why:   "who starts work says how it ends"},
	{calls: []string{"time.Sleep"},
		allow: map[string]string{"state/pebblestore/fence.go": "a disk that refuses a write is tried again by the goroutine that writes"},
		why:   "a sleep cannot be ended"},
}

// What is banned beside calls, and the files where it is fine.
var (
	inits = map[string]string{}
	gos   = map[string]string{
		"state/statetest/reads.go":                "the test waits for them by a channel",
		"host/host.go":                            "open waits for it by its channel on every path",
		"plugins/file/internal/walk/enumerate.go": "Close waits for it",
	}
)

// banned returns what a file does that it may not. name is its path in the
// module.
func banned(name string, src any) (faults []string, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	report := func(n ast.Node, what, why string) {
		faults = append(faults, fmt.Sprintf("%s:%d: %s: %s", name, set.Position(n.Pos()).Line, what, why))
	}
	imported := map[string]string{} // local name to path
	for _, imp := range f.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		local := path[strings.LastIndex(path, "/")+1:]
		if imp.Name != nil {
			local = imp.Name.Name
		}
		imported[local] = path
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if gos[name] == "" {
				report(n, "a bare go statement", "start goroutines with sync.WaitGroup.Go, so that somebody waits for them")
			}
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" && inits[name] == "" {
				report(n, "an init function", "nothing happens by being imported; registering is an explicit call")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imported[x.Name] != "" {
				if why := bannedCall(name, imported[x.Name]+"."+n.Sel.Name); why != "" {
					report(n, x.Name+"."+n.Sel.Name, why)
				}
			}
		}
		return true
	})
	return faults, nil
}

func bannedCall(file, call string) string {
	for _, b := range bans {
		if matchesAny(b.in, filepath.ToSlash(filepath.Dir(file))) || b.allow[file] != "" {
			continue
		}
		for _, c := range b.calls {
			if prefix, open := strings.CutSuffix(c, "*"); c == call || open && strings.HasPrefix(call, prefix) {
				return b.why
			}
		}
	}
	return ""
}

func TestBans_Hold(t *testing.T) {
	base := root(t)
	seen := 0
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, own := os.Stat(filepath.Join(path, "go.mod"))
			if path != base && own == nil || d.Name() == "testdata" || path != base && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		name, err := filepath.Rel(base, path)
		if err != nil {
			return err
		}
		seen++
		faults, err := banned(filepath.ToSlash(name), mustRead(t, path))
		for _, f := range faults {
			t.Error(f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("only %d files were looked at: the walk is broken", seen)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBans_ReportWhatBreaksThem(t *testing.T) {
	tests := []struct{ file, src, want string }{
		{"host/task/x.go", `package task; import "fmt"; func f() { fmt.Println() }`, "host/task/x.go:1: fmt.Println"},
		{"host/task/x.go", `package task; import p "os"; func f() { p.Exit(1) }`, "p.Exit"},
		{"host/task/x.go", `package task; import "log"; func f() { log.Print() }`, "log.Print"},
		{"host/task/x.go", `package task; import "context"; var c = context.Background()`, "context.Background"},
		{"host/task/x.go", `package task; import "time"; var s = time.Sleep`, "time.Sleep"},
		{"host/task/x.go", `package task; func f() { go f() }`, "a bare go statement"},
		{"host/task/x.go", `package task; func init() {}`, "an init function"},
		{"host/task/x.go", `package task; import "log/slog"; var d = slog.Default`, ""},
		{"host/task/x.go", `package task; type t struct{}; func (t) init() {}`, ""},
		{"cmd/wasmill/x.go", `package main; import "os"; func f() { os.Exit(1) }`, ""},
	}
	for _, tt := range tests {
		got, err := banned(tt.file, tt.src)
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.src, err)
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: refused: %q", tt.src, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: got %q, want one fault with %q", tt.src, got, tt.want)
		}
	}
}
