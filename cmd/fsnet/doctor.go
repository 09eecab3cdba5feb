package main

import (
	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

func newDoctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine: device, plugin, versions, kernel; every problem with its remedy",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			findings := examine(c.Context())
			if asJSON {
				if err := printJSON(c.OutOrStdout(), findings); err != nil {
					return err
				}
			} else if err := printFindings(c.OutOrStdout(), findings); err != nil {
				return err
			}
			problems := 0
			for _, f := range findings {
				if f.State == "problem" {
					problems++
				}
			}
			if problems > 0 {
				return fault.New(fault.Failed, "each has its remedy above", "%d of %s found a problem", problems, count.Of(len(findings), "check"))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON list of the findings")
	return c
}
