package build_test

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest"
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
	if s.Ext != archive.Ext || a.Language != "python" || a.Carrier != archive.Frames || a.SDK != "0.1.0" || a.Main != "step.py" || a.Args[len(a.Args)-1] != "step" {
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

// What a step depends on is installed by pip, if it is pure Python.
func TestBuild_PythonDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("asks a package registry")
	}
	dir := t.TempDir()
	write(t, dir,
		"pyproject.toml", "[project]\ndependencies = [\"numpy\"]\n",
		"requirements.txt", "# pinned\nsix==1.16.0\nwasmill==99.0\n",
		"src/pack/work.py", "import six\n",
		".wasmill/sdk/src/wasmill/__init__.py", "\n__version__ = \"0.1.0\"\n",
	)
	_, err := build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "has no step.py: the module that is the step is called step, unless pyproject.toml names another") {
		t.Errorf("without a step: %v", err)
	}
	write(t, dir, "pyproject.toml", "[project]\ndependencies = [\"numpy\"]\n[tool.wasmill]\nstep = \"pack.work\"\n")
	s, err := build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a, names := namesIn(t, s.Bytes)
	want := []string{"pack/work.pyc", "six-1.16.0.dist-info/METADATA", "six-1.16.0.dist-info/top_level.txt", "six.pyc", "wasmill/__init__.pyc"}
	if !slices.Equal(names, want) || a.Args[len(a.Args)-1] != "pack.work" {
		t.Errorf("it packs %q, want %q; %q", names, want, a.Args)
	}

	write(t, dir, "requirements.txt", "numpy\n")
	_, err = build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "it depends on numpy, which has native code and does not run in WebAssembly") {
		t.Errorf("native code: %v", err)
	}

	write(t, dir, "requirements.txt", "six==0.0.99\n")
	_, err = build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "pip finds no six==0.0.99 that fits: look at its name and version") {
		t.Errorf("a version that does not exist: %v", err)
	}
}

func TestBuild_PythonFaults(t *testing.T) {
	for _, test := range []struct{ pyproject, want string }{
		{"[project\nname = \"x\"\nx\n", "pyproject.toml: line 3: there is no = in it"},
		{"[project]\ndependencies = [\"a\"", "pyproject.toml: line 2: an array does not end"},
		{"[tool.wasmill]\nsdk = \"../none\"\n", "names the SDK in"},
		{"[tool.wasmill]\ninclude = [\"*.csv\"]\n", `includes "*.csv", of which there is no file`},
		{"", "the package wasmill is not among its dependencies: add it to pyproject.toml"},
	} {
		dir := t.TempDir()
		write(t, dir, "pyproject.toml", test.pyproject, "step.py", "")
		_, err := build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.pyproject, err, test.want)
		}
	}
}

func TestInterpreter(t *testing.T) {
	id := archive.Interpreter{Name: "cpython", Version: "3.12", Digest: guest.Digest([]byte("module"))}
	file := strings.TrimPrefix(id.Digest, "sha256:") + ".wasm"
	home, own := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv(build.InterpretersVar, own)
	_, err := build.Interpreter(context.Background(), id)
	if want := "put it into a directory as " + file; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an interpreter that is nowhere: error %v, want %q", err, want)
	}
	write(t, own, file, "another")
	if _, err := build.Interpreter(context.Background(), id); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("another one in its place: error %v", err)
	}
	write(t, own, file, "module")
	if wasm, err := build.Interpreter(context.Background(), id); err != nil || string(wasm) != "module" {
		t.Errorf("from the directory: %q, %v", wasm, err)
	}

	// One that is chosen for a build is kept.
	t.Setenv(build.InterpretersVar, "")
	t.Setenv(build.CPythonVar, filepath.Join(own, file))
	dir := t.TempDir()
	write(t, dir, "step.py", "", "wasmill/__init__.py", "__version__ = \"0\"\n")
	if _, err := build.Build(context.Background(), dir, build.Options{CacheDir: t.TempDir()}); err == nil {
		t.Error("something that is no module compiled the step")
	}
	if wasm, err := build.Interpreter(context.Background(), id); err != nil || string(wasm) != "module" {
		t.Errorf("from the cache: %q, %v", wasm, err)
	}
}
