package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// execute runs the command that args name and returns the exit code. Results
// go to stdout, everything that is said about them to stderr.
func execute(args []string, stdout, stderr io.Writer) int {
	began := false // past the parsing of arguments
	root := &cobra.Command{
		Use:               "wasmill",
		Short:             "A stream processor whose logic is WebAssembly",
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun:  func(*cobra.Command, []string) { began = true },
		Version:           versions(), // cobra makes --version of it
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetVersionTemplate("{{.Version}}")
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(runCommand(), validateCommand(), planCommand(), schemaCommand(), inspectCommand(), newCommand(), buildCommand(), devCommand(), testCommand(), versionCommand())

	cmd, err := root.ExecuteC()
	if err == nil {
		return exitDone
	}
	if !began {
		fmt.Fprintf(stderr, "wasmill: %v\nsee %s --help\n", err, cmd.CommandPath())
		return exitUsage
	}
	complain(stderr, err)
	return exitCode(err)
}

// takes says that a command has one argument for each of the names.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing: write %s", names[len(args)], cmd.UseLine())
		case len(args) > len(names):
			return fmt.Errorf("%q is one argument too many: write %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}

// takesAtMost says that a command has an argument or none.
func takesAtMost(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%q is one argument too many: write %s with one %s at most", args[1], cmd.UseLine(), name)
		}
		return nil
	}
}
