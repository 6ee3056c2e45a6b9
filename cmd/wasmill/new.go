package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host/scaffold"
)

func newCommand() *cobra.Command {
	sdk := newChoice("embedded", "published")
	cmd := &cobra.Command{
		Use:   "new LANG DIR",
		Short: "Write a new step that builds, runs and has a passing test",
		Long: "Write a new step that builds, runs and has a passing test.\n" +
			"LANG is one of: " + strings.Join(scaffold.Languages(), ", ") + ". DIR must not exist or be empty.",
		Args: takes("LANG", "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			lang, dir := args[0], args[1]
			written, err := scaffold.Write(dir, scaffold.Options{Lang: lang, Published: sdk.value == "published"})
			var system *fs.PathError
			if err != nil && !errors.As(err, &system) {
				err = &usageError{err}
			}
			if err != nil {
				return err
			}
			w := cmd.ErrOrStderr()
			slices.Sort(written)
			for _, name := range written {
				fmt.Fprintf(w, "wrote %s\n", filepath.Join(dir, name))
			}
			fmt.Fprintf(w, "next: (cd %s && %s), then wasmill run %s\n", word(dir), scaffold.TestCommand(lang), word(filepath.Join(dir, "job.yaml")))
			return nil
		},
	}
	cmd.Flags().Var(sdk, "sdk", "where the step takes its SDK from: the copy in this binary, or the published module")
	return cmd
}

// word returns a path as a shell takes it for one word.
func word(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./+,:@%=", r)
	}
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if strings.TrimLeftFunc(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
