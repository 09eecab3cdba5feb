package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"fsnetlab/internal/version"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and those of the libraries that matter",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out := c.OutOrStdout()
			fmt.Fprintf(out, "fsnet %s (%s, %s/%s)\n", version.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return nil
			}
			for _, module := range info.Deps {
				switch module.Path {
				case "github.com/gomlx/gomlx", "github.com/gomlx/go-xla", "github.com/gomlx/compute":
					fmt.Fprintf(out, "  %s %s\n", module.Path, module.Version)
				}
			}
			return nil
		},
	}
}
