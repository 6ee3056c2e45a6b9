package main

import (
	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host/plan"
)

func planCommand() *cobra.Command {
	var f jobFlags
	output := newChoice("table", "json")
	cmd := &cobra.Command{
		Use:   "plan JOB",
		Short: "Show the tasks that a job leads to",
		Args:  takes("JOB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := f.load(args[0], registry(cmd.OutOrStdout()))
			if err != nil {
				return err
			}
			p, err := plan.Make(spec)
			if err != nil {
				return err
			}
			if output.value == "table" {
				return p.Text(cmd.OutOrStdout())
			}
			doc, err := p.JSON()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(doc)
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().Var(output, "output", "form of the plan")
	return cmd
}
