package main

import (
	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host/jobspec"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of job files, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(jobspec.Schema(registry(cmd.OutOrStdout())))
			return err
		},
	}
}
