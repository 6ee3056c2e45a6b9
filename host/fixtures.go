package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmill/wasmill/host/fixture"
	"github.com/wasmill/wasmill/host/guest"
	"github.com/wasmill/wasmill/host/guest/build"
)

// TestOptions are the settings of Test.
type TestOptions struct {
	Select   *regexp.Regexp   // of the names of fixtures; nil = all
	Update   bool             // write what comes out into the fixtures as what is expected
	Twice    bool             // compare a second run with the first
	CacheDir string           // as in Options
	Building func(dir string) // as in Options
}

// StepTests is what came of the fixtures of one step.
type StepTests struct {
	Step     string // the path as given
	Language string // of the directory, "" for a file
	Digest   string // of the module
	Fixtures []FixtureTest
}

// FixtureTest is what came of one fixture.
type FixtureTest struct {
	File        string
	Differences []string      // from what is expected; none if it passes
	Again       []string      // of the second run from the first
	Updated     bool          // its expectation was written
	Usage       fixture.Usage // fuel is 0 if the run did not end well enough to be repeated
}

// Passed tells whether a fixture came out as it should.
func (f *FixtureTest) Passed() bool { return len(f.Differences) == 0 && len(f.Again) == 0 }

// TestStep reads or builds the step that path names and runs the fixtures
// beside it: tests/*.yaml in the directory, or beside the file. There is one
// result for each that is selected, in the order of their names. An error of
// type fixture.Faults says what is wrong with the files; nothing was run then.
func TestStep(ctx context.Context, path string, o TestOptions) (tests *StepTests, err error) {
	fixtures, err := loadFixtures(path, o.Select)
	if err != nil || len(fixtures) == 0 {
		return &StepTests{Step: path}, err
	}
	builds, modules := "", "" // in the user's cache directory
	if dir := o.CacheDir; dir != "" {
		builds, modules = filepath.Join(dir, "builds"), filepath.Join(dir, "modules")
	}
	step, err := build.Build(ctx, path, build.Options{CacheDir: builds, Building: o.Building})
	if err != nil {
		return nil, err
	}
	engine, err := guest.NewEngine(ctx, guest.EngineOptions{CacheDir: modules, Interpreter: build.Interpreter})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close(context.WithoutCancel(ctx))) }()
	m, err := engine.Compile(ctx, step.Bytes, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close(context.WithoutCancel(ctx))) }()
	tests = &StepTests{Step: path, Language: step.Language, Digest: step.Digest}
	for _, f := range fixtures {
		one, err := testFixture(ctx, m, f, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.File, err)
		}
		tests.Fixtures = append(tests.Fixtures, *one)
	}
	return tests, nil
}

// loadFixtures reads the fixtures of a step.
func loadFixtures(path string, only *regexp.Regexp) (list []*fixture.Fixture, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist: name a directory with source, a .wasm or .wasmill file, or a job file", path)
	case err != nil:
		return nil, err
	}
	dir := path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	dir = filepath.Join(dir, "tests")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var faults fixture.Faults
	for _, e := range entries { // in the order of names
		if e.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(e.Name())) {
			continue
		}
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if only != nil && !only.MatchString(name) {
			continue
		}
		f, err := fixture.Load(filepath.Join(dir, e.Name()))
		var bad fixture.Faults
		switch {
		case errors.As(err, &bad):
			faults = append(faults, bad...)
		case err != nil:
			return nil, err
		default:
			list = append(list, f)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return list, nil
}

// endlessFuel is for calls that are known to end.
const endlessFuel = 1 << 62

// testFixture runs a fixture twice: as a job would, with its limit of time, and
// then counted, where nothing but fuel could end a call.
func testFixture(ctx context.Context, m guest.Module, f *fixture.Fixture, o TestOptions) (*FixtureTest, error) {
	first, err := fixture.Run(ctx, m, f, fixture.Options{})
	if err != nil {
		return nil, err
	}
	t := &FixtureTest{File: f.File, Differences: fixture.Compare(f, first), Usage: first.Usage}
	if o.Update && len(t.Differences) > 0 {
		if err := fixture.Update(f.File, first); err != nil {
			return nil, err
		}
		t.Differences, t.Updated = nil, true
	}
	if first.Err != nil || slices.ContainsFunc(first.Failed, func(x fixture.Failure) bool { return x.Class == string(guest.TrapTimeout) }) {
		return t, nil
	}
	counted, err := fixture.Run(ctx, m, f, fixture.Options{Fuel: endlessFuel})
	if err != nil {
		return nil, err
	}
	t.Usage.Fuel = counted.Usage.Fuel
	if o.Twice {
		t.Again = fixture.Same(f, first, counted)
	}
	return t, nil
}
