package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/archive"
)

var python = &language{
	name: "Python", marks: "pyproject.toml or step.py", ext: archive.Ext,
	detect:  func(names map[string]bool) bool { return names["pyproject.toml"] || names["step.py"] },
	prepare: preparePython,
}

// cpython is the interpreter that runs steps in Python.
var cpython = archive.Interpreter{
	Name: "cpython", Version: "3.12.0",
	Digest: "sha256:e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763",
}

// pythonArgs start a step: nothing of the environment, no user's directories,
// UTF-8 everywhere. The name of the step's module comes last.
var pythonArgs = []string{
	"python", "-I", "-S", "-B", "-X", "utf8", "-c",
	"import sys; sys.path.insert(0, '/app'); from wasmill._guest import main; main(sys.argv[1])",
}

var pythonSources = sources{
	is:   extensions(".py", "pyproject.toml", "requirements.txt"),
	skip: notPython,
}

// notPython reports whether a directory of a project is none of the step's: it
// has what tools write, or tests.
func notPython(name string) bool {
	switch name {
	case "venv", "env", "build", "dist", "site-packages", "tests":
		return true
	}
	return generated(name) || strings.HasSuffix(name, ".egg-info")
}

// preparePython packs the modules of a directory, what they depend on, and the
// SDK. What decides is their source, pyproject.toml and requirements.txt; what
// pip installs is named by these.
func preparePython(_ context.Context, p *project) (builder, error) {
	s, err := readPyproject(p)
	if err != nil {
		return nil, err
	}
	if s.interpreter, err = chosenCPython(); err != nil {
		return nil, err
	}
	p.note(s.interpreter.Digest, s.interpreter.Version, stepABI, compilePy)
	p.note(pythonArgs...)
	p.noteEnv("PIP_")
	if err := p.tree(".", pythonSources); err != nil {
		return nil, fmt.Errorf("build: %s: reading the source: %w", p.dir, err)
	}
	if s.sdk != "" {
		if err := p.tree(s.sdk, pythonSources); err != nil {
			return nil, fmt.Errorf("build: %s: reading the SDK: %w", p.dir, err)
		}
	}
	for _, name := range s.include {
		text, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			return nil, fmt.Errorf("build: %s: what pyproject.toml includes: %w", p.dir, err)
		}
		p.note("include", name, string(text))
	}
	return func(ctx context.Context, out string) error { return s.pack(ctx, out) }, nil
}

// pack writes the archive of the step.
func (s *pythonStep) pack(ctx context.Context, out string) error {
	stage, err := os.MkdirTemp(filepath.Dir(out), "python-")
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	defer os.RemoveAll(stage)
	if err := s.install(ctx, stage); err != nil {
		return err
	}
	if err := s.copyOwn(stage); err != nil {
		return fmt.Errorf("build: %s: %w", s.dir, err)
	}
	version, err := pythonSDKVersion(stage)
	if err != nil {
		return fmt.Errorf("build: %s: %w", s.dir, err)
	}
	app, err := s.compile(ctx, stage)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = archive.Write(&b, archive.Step{
		Language: "python", Carrier: archive.Frames, Interpreter: s.interpreter,
		Args: append(append([]string{}, pythonArgs...), s.module),
		ABI:  stepABI, SDK: version, Main: s.entry,
	}, app, nil)
	if err != nil {
		return fmt.Errorf("build: %s: %w", s.dir, err)
	}
	return os.WriteFile(out, b.Bytes(), 0o600)
}

// copyOwn puts the step's own files and the SDK into stage.
func (s *pythonStep) copyOwn(stage string) error {
	if s.sdk != "" {
		if err := copyPython(filepath.Join(s.sdk, "src"), stage); err != nil {
			return fmt.Errorf("the SDK: %w", err)
		}
	}
	if err := copyPython(s.root, stage); err != nil {
		return err
	}
	for _, name := range s.include {
		to := filepath.Join(stage, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := copyFile(filepath.Join(s.dir, name), to); err != nil {
			return err
		}
	}
	return nil
}

// copyPython copies the modules below from, without tests.
func copyPython(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && path != from && notPython(name):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case filepath.Ext(name) != ".py" || isPythonTest(name) || !regular(path, d):
			return nil
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func isPythonTest(name string) bool {
	return name == "conftest.py" || strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

// pythonSDKVersion returns the version of the SDK in stage.
func pythonSDKVersion(stage string) (string, error) {
	text, err := os.ReadFile(filepath.Join(stage, "wasmill", "__init__.py"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the package wasmill is not among its dependencies: add it to pyproject.toml, or put the SDK into .wasmill/sdk (wasmill new writes it)")
	}
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(text), "\n__version__ = \"")
	version, _, _ := strings.Cut(rest, "\"")
	return version, nil
}

// runCPython runs a script in the interpreter over the files of a directory,
// which are at /app, and returns what it prints.
func (s *pythonStep) runCPython(ctx context.Context, script, dir string) (stdout, stderr []byte, code uint32, err error) {
	wasm, err := Interpreter(ctx, s.interpreter)
	if err != nil {
		return nil, nil, 0, err
	}
	e, err := guest.NewEngine(ctx, guest.EngineOptions{})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("build: %w", err)
	}
	defer func() { err = errors.Join(err, e.Close(ctx)) }()
	var out, log bytes.Buffer
	code, err = e.RunProgram(ctx, wasm, "python.wasm", guest.Program{
		Args: []string{"python", "-s", "-S", "-P", "-B", "-X", "utf8", "-c", script},
		Env:  []string{"PYTHONHASHSEED=0"}, Files: os.DirFS(dir), Stdout: &out, Stderr: &log,
	})
	return out.Bytes(), log.Bytes(), code, err
}
