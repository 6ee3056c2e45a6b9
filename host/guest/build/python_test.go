package build_test

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/archive"
	"github.com/wasmill/wasmill/host/guest/build"
)

// pythonStep makes a step whose SDK is an empty package.
func pythonStep(t *testing.T) string {
	dir := t.TempDir()
	write(t, dir,
		"pyproject.toml", "[project]\nname = \"step\"\ndependencies = [\n  \"wasmill\", # in .wasmill/sdk\n]\n\n[tool.wasmill]\ninclude = [\"data/*.txt\"]\n",
		"step.py", "import lib.more\n",
		"lib/__init__.py", "",
		"lib/more.py", "ANSWER = 42\n",
		"data/a.txt", "a",
		"tests/test_step.py", "import pytest\n",
		"test_other.py", "no Python",
		".venv/x.py", "no Python",
		".wasmill/sdk/src/wasmill/__init__.py", "\n__version__ = \"0.1.0\"\n",
		".wasmill/sdk/tests/x.py", "no Python",
	)
	return dir
}

func namesIn(t *testing.T, b []byte) (a *archive.Archive, names []string) {
	t.Helper()
	a, err := archive.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(a.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, names
}

func TestBuild_Python(t *testing.T) {
	if testing.Short() {
		t.Skip("runs CPython some times")
	}
	dir := pythonStep(t)
	s, err := build.Build(context.Background(), dir, build.Options{CacheDir: filepath.Join(t.TempDir(), "a")})
	if err != nil {
		t.Fatal(err)
	}
	a, names := namesIn(t, s.Bytes)
	want := []string{"data/a.txt", "lib/__init__.pyc", "lib/more.pyc", "step.pyc", "wasmill/__init__.pyc"}
	if !slices.Equal(names, want) {
		t.Errorf("it packs %q, want %q", names, want)
	}
	if s.Ext != archive.Ext || a.Language != "Python" || a.Carrier != archive.Frames || a.SDK != "0.1.0" || a.Entry != "step.py" || a.Args[len(a.Args)-1] != "step" {
		t.Errorf("%s, %+v", s.Ext, a.Step)
	}
	again, err := build.Build(context.Background(), dir, build.Options{CacheDir: filepath.Join(t.TempDir(), "b")})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes, s.Bytes) {
		t.Error("two builds of one source differ")
	}

	write(t, dir, "lib/more.py", "ANSWER = = 42\n")
	_, err = build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "lib/more.py:1: invalid syntax") {
		t.Errorf("a mistake in the source gives %v", err)
	}
}
