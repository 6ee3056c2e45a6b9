package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
	"github.com/wasmill/wasmill/host/jobspec"
)

func inspectCommand() *cobra.Command {
	var memory string
	output := newChoice("table", "json")
	cmd := &cobra.Command{
		Use:   "inspect MODULE",
		Short: "Show what a module is and whether it would run as a step",
		Long: "Show what a module is and whether it would run as a step. MODULE is what a job\n" +
			"file has under wasm: a .wasm file, or a directory with source, which is built.\n" +
			"The exit code is 0 if it would run, 1 if it would be refused.",
		Args: takes("MODULE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := host.InspectOptions{Building: func(dir string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "building %s (once, some seconds)…\n", shown(dir))
			}}
			if memory != "" {
				var err error
				if o.Memory, err = jobspec.ParseSize(memory); err != nil {
					return &usageError{fmt.Errorf("--memory %q is not a size: write bytes or a number with KiB, MiB or GiB, such as 64MiB", memory)}
				}
				if o.Memory < 64<<10 || o.Memory > 4<<30 {
					return &usageError{fmt.Errorf("--memory %s is not between 64KiB and 4GiB", memory)}
				}
			}
			in, err := host.Inspect(cmd.Context(), args[0], o)
			if err != nil {
				return &usageError{err}
			}
			if output.value == "json" {
				doc := json.NewEncoder(cmd.OutOrStdout())
				doc.SetIndent("", "  ")
				doc.SetEscapeHTML(false)
				err = doc.Encode(in)
			} else {
				_, err = cmd.OutOrStdout().Write(inspectText(args[0], in))
			}
			if err == nil && !in.Runs {
				return errRefused
			}
			return err
		},
	}
	cmd.Flags().Var(output, "output", "form of what is shown")
	cmd.Flags().StringVar(&memory, "memory", "", "`SIZE` of limits.memory that the module is held against (default 64MiB)")
	return cmd
}
