package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"fsnetlab/internal/installation"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and those of the libraries that matter",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out := c.OutOrStdout()
			fmt.Fprintf(out, "fsnet %s (%s, %s/%s)\n", installation.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			for _, library := range installation.Libraries() {
				fmt.Fprintf(out, "  %s\n", library)
			}
			return nil
		},
	}
}
