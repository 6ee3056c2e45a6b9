package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func validateCommand() *cobra.Command {
	var f jobFlags
	cmd := &cobra.Command{
		Use:   "validate JOB",
		Short: "Report everything that is wrong with a job file",
		Args:  takes("JOB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := f.load(args[0], registry(cmd.OutOrStdout()))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: job %s is valid\n", args[0], spec.Job)
			return nil
		},
	}
	f.add(cmd)
	return cmd
}
