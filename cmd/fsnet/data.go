package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/dataset"
)

func newDataCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "data",
		Short: "List the built-in data sets with their sources and terms",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, b := range dataset.Builtins() {
				fmt.Fprintf(w, "%s\t%d rows × %d features\t%v\n\t%s\n\t%s\n", b.Name, b.N, b.D, b.Classes, b.Citation, b.Terms)
			}
			return w.Flush()
		},
	}
}
