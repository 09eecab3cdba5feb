package main

import (
	"fmt"
	"path"
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
			for _, library := range libraries() {
				fmt.Fprintf(out, "  %s\n", library)
			}
			return nil
		},
	}
}

// libraries names the modules that decide what a number is, with their versions.
func libraries() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var list []string
	for _, module := range info.Deps {
		switch module.Path {
		case "github.com/gomlx/gomlx", "github.com/gomlx/go-xla", "github.com/gomlx/compute":
			list = append(list, path.Base(module.Path)+" "+module.Version)
		}
	}
	return list
}
