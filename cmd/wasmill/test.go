package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
)

// errDiffers says that a step did not do what its fixtures expect. How is said
// already.
var errDiffers = errors.New("not as expected")

func testCommand() *cobra.Command {
	t := &tester{output: newChoice("table", "json")}
	cmd := &cobra.Command{
		Use:   "test [DIR|JOB|MODULE]...",
		Short: "Run steps over fixtures and compare what comes out",
		Long: "Run steps over fixtures and compare what comes out. A step is a directory with\n" +
			"source, by default the working directory, which is built; a .wasm or .wasmill\n" +
			"file; or every step of a job file. Its fixtures are in tests/*.yaml beside it.\n" +
			"The step runs in the engine that runs jobs, and in a job of its own.\n" +
			"The exit code is 0 if all is as expected, 1 if not, 2 if nothing could be run.",
		Args: cobra.ArbitraryArgs,
		RunE: t.run,
	}
	cmd.Flags().BoolVar(&t.update, "update", false, "write what comes out into the fixtures as what is expected")
	cmd.Flags().BoolVar(&t.twice, "twice", false, "compare with a second run, on a fresh instance: what differs is not determined by the records")
	cmd.Flags().StringVar(&t.only, "run", "", "run only the fixtures whose name matches `REGEXP`")
	cmd.Flags().Var(t.output, "output", "form of the result")
	return cmd
}

// tester is one `wasmill test`.
type tester struct {
	update, twice bool
	only          string
	output        *choice
}

func (t *tester) run(cmd *cobra.Command, args []string) error {
	o := host.TestOptions{Update: t.update, Twice: t.twice, Building: func(dir string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "building %s (once, some seconds)…\n", shown(dir))
	}}
	if t.only != "" {
		var err error
		if o.Select, err = regexp.Compile(t.only); err != nil {
			return &usageError{fmt.Errorf("--run: %w", err)}
		}
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	steps, err := t.steps(args)
	if err != nil {
		return err
	}
	var all []*host.StepTests
	fixtures, failed := 0, false
	for _, step := range steps {
		tests, err := host.TestStep(cmd.Context(), step, o)
		if err != nil {
			return &usageError{err}
		}
		all = append(all, tests)
		fixtures += len(tests.Fixtures)
		failed = failed || slices.ContainsFunc(tests.Fixtures, func(f host.FixtureTest) bool { return !f.Passed() })
		if t.output.value == "table" && (len(tests.Fixtures) > 0 || len(steps) > 1) {
			if _, err := cmd.OutOrStdout().Write(testText(tests)); err != nil {
				return err
			}
		}
	}
	switch {
	case fixtures == 0 && t.only != "":
		return &usageError{fmt.Errorf("no fixture in tests matches --run %s", t.only)}
	case fixtures == 0:
		return &usageError{fmt.Errorf("no fixtures: write one to %s (docs/testing.md tells how)", filepath.Join(shown(steps[0]), "tests", "NAME.yaml"))}
	}
	if t.output.value == "json" {
		doc := json.NewEncoder(cmd.OutOrStdout())
		doc.SetIndent("", "  ")
		doc.SetEscapeHTML(false)
		err = doc.Encode(testReport(all))
	} else {
		_, err = cmd.OutOrStdout().Write(usageText(all))
	}
	if err == nil && failed {
		return errDiffers
	}
	return err
}

// steps returns the steps that arguments name: those of a job file, or the
// arguments themselves; each once.
func (t *tester) steps(args []string) (steps []string, err error) {
	seen := map[string]bool{}
	add := func(path string) {
		at, err := filepath.Abs(path)
		if err != nil { // no working directory: what is named is all there is
			at = path
		}
		if !seen[at] {
			steps = append(steps, path)
		}
		seen[at] = true
	}
	for _, arg := range args {
		if ext := filepath.Ext(arg); ext != ".yaml" && ext != ".yml" {
			add(arg)
			continue
		}
		spec, err := new(jobFlags).load(arg, registry(nil))
		if err != nil {
			return nil, err
		}
		for _, s := range spec.Steps {
			if s.Wasm != "" {
				add(s.Wasm)
			}
		}
	}
	if len(steps) == 0 {
		return nil, &usageError{errors.New("the job has no step with a module: there is nothing to test")}
	}
	return steps, nil
}
