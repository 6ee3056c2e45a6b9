package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/scaffold"
)

func buildCommand() *cobra.Command {
	var file string
	output := newChoice("table", "json")
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build a step into one file",
		Long: "Build the step whose source is in DIR, by default the working directory, with\n" +
			"the tools of its language, and check that it would run. What comes out is a .wasm\n" +
			"module or, where an interpreter runs it, a .wasmill archive: either can be named\n" +
			"under wasm in a job file. A job that names DIR itself builds it on demand.\n" +
			"The exit code is 0 if it is built, 1 if it would be refused, 2 if it does not build.",
		Args: takesAtMost("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return runBuild(cmd, dir, file, output.value)
		},
	}
	cmd.Flags().StringVarP(&file, "out", "o", "", "`FILE` to write (default: the name of the directory, with .wasm or .wasmill, in the working directory)")
	cmd.Flags().Var(output, "output", "form of what is said: a table on standard error, or a JSON document on standard output")
	return cmd
}

func runBuild(cmd *cobra.Command, dir, file, output string) error {
	b, err := buildStep(cmd.Context(), cmd, dir)
	if err != nil {
		return err
	}
	r := report(b)
	if b.Runs {
		if r.File, err = writeStep(file, dir, b); err != nil {
			return err
		}
	}
	if output == "json" {
		doc := json.NewEncoder(cmd.OutOrStdout())
		doc.SetIndent("", "  ")
		doc.SetEscapeHTML(false)
		err = doc.Encode(r)
	} else {
		_, err = cmd.ErrOrStderr().Write(r.table())
	}
	if err == nil && !b.Runs {
		return errRefused
	}
	return err
}

func buildStep(ctx context.Context, cmd *cobra.Command, dir string) (*host.Built, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return nil, &usageError{fmt.Errorf("%s is a file: name the directory of a step; wasmill inspect says what a module is", dir)}
	}
	b, err := host.Build(ctx, dir, host.InspectOptions{Building: func(dir string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "building %s (once, some seconds)…\n", shown(dir))
	}})
	if err != nil {
		return nil, &usageError{err}
	}
	return b, nil
}

// writeStep writes the file as a whole or not at all, and returns its path.
func writeStep(file, dir string, b *host.Built) (string, error) {
	if file == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		file = scaffold.NameOf(filepath.Base(abs)) + b.Ext
	}
	if filepath.Ext(file) != b.Ext {
		return "", &usageError{fmt.Errorf("--out %s: a step in %s is a %s file: give the name that ending, by which jobs tell what it is", file, b.Language, b.Ext)}
	}
	if err := replaceFile(file, b.Step); err != nil {
		return "", &usageError{fmt.Errorf("--out %s: %w", file, err)}
	}
	return file, nil
}

// replaceFile puts a file in the place of the one at path as a whole: it is
// written there or nothing has changed.
func replaceFile(path string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".wasmill-build-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(tmp.Name()))
	}
	return err
}
