package scaffold_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/scaffold"
)

func TestNameOf(t *testing.T) {
	for in, want := range map[string]string{
		"upper": "upper", "My Step": "my-step", "9lives": "step-9lives", "-x": "step-x", "": "step", ".": "step",
		"caf\u00e9": "caf-", strings.Repeat("a", 80): strings.Repeat("a", 63),
	} {
		if got := scaffold.NameOf(in); got != want {
			t.Errorf("NameOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWrite_Refuses(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		o    scaffold.Options
		want string
	}{
		{t.TempDir(), scaffold.Options{Lang: "cobol"}, `no SDK for "cobol" in this build: it has `},
		{t.TempDir(), scaffold.Options{Lang: "go", Name: "A b"}, `"A b" is no name of a step`},
		{full, scaffold.Options{Lang: "go"}, "is not empty"},
		{filepath.Join(full, "x"), scaffold.Options{Lang: "go"}, "not a directory"},
	} {
		if _, err := scaffold.Write(c.dir, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q in it", c.o, err, c.want)
		}
	}
}

// A language is known by what its speakers call it.
func TestWrite_OtherNames(t *testing.T) {
	for other, lang := range map[string]string{"golang": "go", "rs": "rust", "py": "python", "typescript": "ts", "as": "assemblyscript"} {
		a, b := t.TempDir(), t.TempDir()
		for dir, name := range map[string]string{a: other, b: lang} {
			if _, err := scaffold.Write(dir, scaffold.Options{Lang: name, Name: "same"}); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(files(t, a), files(t, b)) || scaffold.TestCommand(other) != scaffold.TestCommand(lang) {
			t.Errorf("%s is not %s", other, lang)
		}
	}
	if scaffold.TestCommand("") != "" {
		t.Error("no name at all is one of a language")
	}
}

// Every language gives the same files beside its own ones.
func TestWrite_Files(t *testing.T) {
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "upper")
			written, err := scaffold.Write(dir, scaffold.Options{Lang: lang, Name: "other-name"})
			if err != nil {
				t.Fatal(err)
			}
			got := files(t, dir)
			for _, name := range []string{".gitignore", "README.md", "job.yaml", "tests/example.yaml"} {
				if !slices.Contains(written, filepath.FromSlash(name)) {
					t.Errorf("it has no %s: %q", name, written)
				}
			}
			if got[".wasmill/sdk/LICENSE"] == "" {
				t.Error("the SDK in it has no license")
			}
			named := false
			for name, text := range got {
				if strings.HasPrefix(name, ".wasmill/") {
					continue
				}
				named = named || strings.Contains(text, "other-name")
				if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") || !strings.HasSuffix(text, "\n") {
					t.Errorf("%s is not what a template should give:\n%s", name, text)
				}
			}
			if !named {
				t.Error("no file has the name of the step")
			}
		})
	}
}

func TestWrite_Published(t *testing.T) {
	for _, lang := range scaffold.Languages() {
		t.Run(lang, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "upper")
			written, err := scaffold.Write(dir, scaffold.Options{Lang: lang, Published: true})
			if err != nil {
				t.Fatal(err)
			}
			got := files(t, dir)
			if len(got) != len(written) {
				t.Errorf("%d files, told were %q", len(got), written)
			}
			version := false
			for name, text := range got {
				version = version || strings.Contains(text, scaffold.SDKVersion)
				if strings.Contains(text, ".wasmill/sdk") && name != ".gitignore" {
					t.Errorf("%s speaks of the copy of the SDK:\n%s", name, text)
				}
			}
			if !version {
				t.Errorf("no file names the version of the SDK")
			}
		})
	}
}

// TestWrite_TestPasses runs the test of a new step as its author would.
func TestWrite_TestPasses(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	dir := filepath.Join(t.TempDir(), "new step")
	if _, err := scaffold.Write(dir, scaffold.Options{Lang: "go"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
	format := exec.Command("gofmt", "-l", ".")
	format.Dir = dir
	if out, err := format.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v, %s", err, out)
	}
}
