package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"fsnetlab/internal/system"
)

// versionReport is the object that fsnet version --json prints.
type versionReport struct {
	Go        string   `json:"go"`        // version of Go that built it
	Libraries []string `json:"libraries"` // libraries that can change numbers, with versions; null if the build does not record them
	Platform  string   `json:"platform"`  // operating system and processor, such as linux/amd64
	Version   string   `json:"version"`   // release of fsnet, with the commit if the build records it
}

// newVersionCommand returns fsnet version.
func newVersionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of fsnet and of the libraries that matter",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out := c.OutOrStdout()
			r := versionReport{runtime.Version(), system.Libraries(), runtime.GOOS + "/" + runtime.GOARCH, system.Version()}
			if asJSON {
				return json.NewEncoder(out).Encode(r)
			}
			fmt.Fprintf(out, "fsnet %s (%s, %s)\n", r.Version, r.Go, r.Platform)
			for _, library := range r.Libraries {
				fmt.Fprintf(out, "  %s\n", library)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}
