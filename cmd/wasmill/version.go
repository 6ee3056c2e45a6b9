package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/wasmill/wasmill/host"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versions())
			return err
		},
	}
}

// versions returns the line that tells what this binary is.
func versions() string {
	return fmt.Sprintf("wasmill %s (ABI %d.%d, %s, %s/%s)\n",
		version(), host.ABIVersion, host.ABIMinor, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version returns the version of the module, or of the commit it was built
// from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
