package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// pureWheels are the options with which pip takes packages for any platform
// alone, in what fits the interpreter, whichever Python runs pip.
var pureWheels = []string{"--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none", "--python-version=3.12"}

// install puts what the step depends on into stage, by the user's own pip, and
// the names of the modules into a file there, which compilePy reads.
func (s *pythonStep) install(ctx context.Context, stage string) error {
	var names []string
	if needed(s.requirements) {
		if err := s.pipInstall(ctx, stage); err != nil {
			return err
		}
		err := filepath.WalkDir(stage, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(stage, file)
			switch filepath.Ext(file) {
			case ".so", ".pyd", ".dylib":
				return fmt.Errorf("build: %s: it depends on %s, which is native code and does not run in WebAssembly: leave that package out, or take a version in pure Python", s.dir, filepath.ToSlash(rel))
			case ".py":
				names = append(names, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(stage, dependenciesFile), []byte(strings.Join(names, "\n")), 0o600); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return nil
}

// dependenciesFile lists the modules that pip installed.
const dependenciesFile = ".dependencies"

// needed reports whether there is anything to install.
func needed(requirements []string) bool {
	for _, line := range requirements {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

// missing finds in the words of pip the package of which it has no wheel for
// any platform.
var missing = regexp.MustCompile(`No matching distribution found for ([A-Za-z0-9][A-Za-z0-9._-]*[^\s(]*)`)

// requirementName finds the name of a package at the beginning of a
// requirement.
var requirementName = regexp.MustCompile(`^[A-Za-z0-9._-]+`)

// pip is how pip is called.
type pip struct{ python, dir string }

func (p pip) command(args ...string) command {
	return command{"pip", p.dir, append([]string{p.python, "-m", "pip", "--disable-pip-version-check", "--no-input"}, args...), nil}
}

// pipInstall installs the requirements. Where a package has no wheel for any platform
// it is built from its source, and taken if what comes out is one.
func (s *pythonStep) pipInstall(ctx context.Context, stage string) error {
	tool := findTool("PYTHON", "python3", "python")
	if tool == "" {
		return fmt.Errorf("build: %s: its dependencies are installed by pip, and python3 is not in PATH: install Python 3 with pip (Debian: python3-pip), or name an archive that was built elsewhere", s.dir)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(stage), "pip-")
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	defer os.RemoveAll(tmp)
	list, wheels := filepath.Join(tmp, "requirements.txt"), filepath.Join(tmp, "wheels")
	if err := os.WriteFile(list, []byte(strings.Join(s.requirements, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	pip := pip{tool, s.dir}
	tried := map[string]bool{}
	for {
		args := append([]string{"install", "--quiet", "--no-compile", "--upgrade", "--target=" + stage, "--find-links=" + wheels, "--requirement=" + list}, pureWheels...)
		err := pip.command(args...).run(ctx)
		if err == nil {
			return nil
		}
		if strings.Contains(printed(err), "No module named pip") {
			return fmt.Errorf("build: %s: its dependencies are installed by pip, which %s does not have: install it (Debian: python3-pip)", s.dir, tool)
		}
		m := missing.FindStringSubmatch(printed(err))
		if m == nil || tried[m[1]] {
			return err
		}
		tried[m[1]] = true
		if err := s.buildWheel(ctx, pip, m[1], wheels, err); err != nil {
			return err
		}
	}
}

// buildWheel builds the wheel of a package from its source into a directory.
// It does not begin where there are wheels for machines: that package has native
// code, which may take long to build, and of no use.
func (s *pythonStep) buildWheel(ctx context.Context, pip pip, requirement, wheels string, because error) error {
	native := func(wheel string) error {
		return fmt.Errorf("build: %s: it depends on %s, which has native code and does not run in WebAssembly (%s): leave that package out, or take a version in pure Python", s.dir, requirement, path.Base(wheel))
	}
	said, err := pip.command("install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:", "--report=-", requirement).output(ctx)
	if err == nil {
		var report struct {
			Install []struct {
				From struct {
					URL string `json:"url"`
				} `json:"download_info"`
			} `json:"install"`
		}
		if err := json.Unmarshal(said, &report); err == nil && len(report.Install) > 0 {
			return native(report.Install[0].From.URL)
		}
	}
	name := requirementName.FindString(requirement)
	err = pip.command("wheel", "--quiet", "--no-deps", "--no-binary="+name, "--wheel-dir="+wheels, requirement).run(ctx)
	var failed *failure
	if errors.As(err, &failed) && missing.MatchString(failed.text) {
		return fmt.Errorf("build: %s: pip finds no %s that fits: look at its name and version in pyproject.toml or requirements.txt, and at the network\n%s", s.dir, requirement, shorten(failed.text))
	}
	if failed != nil {
		return fmt.Errorf("build: %s: there is no wheel of %s for any platform, and it cannot be built from source: a package with native code does not run in WebAssembly\n%s", s.dir, requirement, shorten(failed.text))
	}
	if err != nil {
		return err
	}
	made, err := filepath.Glob(filepath.Join(wheels, "*.whl"))
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	for _, wheel := range made {
		if !strings.HasSuffix(wheel, "-none-any.whl") {
			return native(filepath.ToSlash(wheel))
		}
	}
	if len(made) == 0 {
		return because
	}
	return nil
}
