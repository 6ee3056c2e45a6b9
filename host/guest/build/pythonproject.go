package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/guest/archive"
)

// pythonStep is a directory with a step in Python.
type pythonStep struct {
	dir          string
	root         string   // where its modules are: dir, or dir/src
	module       string   // the one that is the step: "step", "package.step"
	entry        string   // its file, relative to root, slash-separated
	sdk          string   // directory of the SDK's project; "" if pip installs it
	requirements []string // what pip installs, a line each
	include      []string // other files that the step reads, relative to dir
	interpreter  archive.Interpreter
}

// readPyproject reads what pyproject.toml and requirements.txt say. Either may
// be missing. Where there is a requirements.txt, it and not the list of
// dependencies is installed: it pins what the list allows.
func readPyproject(p *project) (*pythonStep, error) {
	s := &pythonStep{dir: p.dir, root: p.dir, module: "step"}
	text, err := os.ReadFile(filepath.Join(p.dir, "pyproject.toml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("build: %w", err)
	}
	toml, err := scanTOML(string(text))
	if err != nil {
		return nil, fmt.Errorf("build: %s: pyproject.toml: %w", p.dir, err)
	}
	if v := toml["tool.wasmill.step"]; len(v) == 1 {
		s.module = v[0]
	}
	s.requirements = toml["project.dependencies"]
	pins, err := os.ReadFile(filepath.Join(p.dir, "requirements.txt"))
	switch {
	case err == nil:
		s.requirements = strings.Split(strings.ReplaceAll(string(pins), "\r\n", "\n"), "\n")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("build: %w", err)
	}
	if dir, ok := p.sdk(); ok {
		s.sdk = dir
	} else if v := toml["tool.wasmill.sdk"]; len(v) == 1 {
		s.sdk = filepath.Join(p.dir, filepath.FromSlash(v[0]))
		if !exists(s.sdk) {
			return nil, fmt.Errorf("build: %s: pyproject.toml names the SDK in %s, which does not exist: put it back", p.dir, s.sdk)
		}
	}
	if s.sdk != "" {
		s.requirements = slices.DeleteFunc(s.requirements, isSDK)
	}
	for _, pattern := range toml["tool.wasmill.include"] {
		found, err := fs.Glob(os.DirFS(p.dir), pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("build: %s: pyproject.toml includes %q, of which there is no file", p.dir, pattern)
		}
		s.include = append(s.include, found...)
	}
	return s, s.find()
}

// isSDK reports whether a requirement is the SDK itself.
func isSDK(requirement string) bool {
	return regexp.MustCompile(`^\s*wasmill\s*($|[<>=!~@;\[])`).MatchString(requirement)
}

// find looks for the step's module.
func (s *pythonStep) find() error {
	path := strings.ReplaceAll(s.module, ".", "/")
	for _, root := range []string{s.dir, filepath.Join(s.dir, "src")} {
		for _, file := range []string{path + ".py", path + "/__init__.py"} {
			if exists(filepath.Join(root, filepath.FromSlash(file))) {
				s.root, s.entry = root, file
				return nil
			}
		}
	}
	return fmt.Errorf("build: %s has no %s.py: the module that is the step is called step, unless pyproject.toml names another under [tool.wasmill] as step = \"NAME\"", s.dir, path)
}
