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
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(runCommand(), validateCommand(), planCommand(), schemaCommand(), newCommand(), versionCommand())

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
