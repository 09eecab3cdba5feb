package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/kernelspec"
)

// newKernelspecCommand tells Jupyter about the kernel; install.sh calls it.
func newKernelspecCommand() *cobra.Command {
	var dir, command string
	c := &cobra.Command{
		Use:   "kernelspec",
		Short: "Register this program's kernel with Jupyter",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if dir == "" {
				if dir, err = kernelspec.UserDirectory(); err != nil {
					return err
				}
			}
			if command == "" {
				if command, err = os.Executable(); err != nil {
					return fault.Wrap(err, fault.Failed, "give it with --command", "the path of this program is not known")
				}
			}
			env := map[string]string{}
			if home := os.Getenv("FSNET_HOME"); home != "" {
				env["FSNET_HOME"] = home // the kernel is started by Jupyter, whose environment may lack it
			}
			if err := kernelspec.Install(dir, command, env); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), kernelspec.String(dir))
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "`DIRECTORY` of the kernelspec [the one in the user's Jupyter]")
	c.Flags().StringVar(&command, "command", "", "`PATH` of the program to start [this one]")
	return c
}
