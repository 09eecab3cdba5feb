package about

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"fsnetlab/internal/installation"
)

// NewVersionCommand is fsnet version.
func NewVersionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of fsnet and of the libraries that matter",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out, platform := c.OutOrStdout(), runtime.GOOS+"/"+runtime.GOARCH
			if asJSON {
				return json.NewEncoder(out).Encode(map[string]any{
					"version": installation.Version(), "go": runtime.Version(), "platform": platform, "libraries": installation.Libraries(),
				})
			}
			fmt.Fprintf(out, "fsnet %s (%s, %s)\n", installation.Version(), runtime.Version(), platform)
			for _, library := range installation.Libraries() {
				fmt.Fprintf(out, "  %s\n", library)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}
