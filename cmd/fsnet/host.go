package main

import (
	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/host/trainings"
)

// newHostCommand is the process that trains for a kernel. It is started by one and hidden from people.
func newHostCommand() *cobra.Command {
	var options host.RunOptions
	command := &cobra.Command{
		Use:   "host --socket PATH --parent PID",
		Short: "Hold live sessions behind a private socket (started by the kernel)",
		Long: "Hold live sessions behind a private socket, and end with the process PID.\n\n" +
			"A kernel starts it. Prints \"ready PATH\" once clients can connect.",
		Hidden: true,
		Args:   noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if options.Socket == "" {
				return fault.New(fault.Request, "give --socket PATH, in a directory that is yours alone", "no socket is named")
			}
			if options.Parent == 0 {
				return fault.New(fault.Request, "give --parent PID; in a shell, --parent $$", "no parent process is named: the host ends with it")
			}
			opener := new(trainings.Opener)
			options.Open, options.Resume = opener.Open, opener.Resume
			options.Ready = c.OutOrStdout()
			return host.Run(c.Context(), options)
		},
	}
	command.Flags().StringVar(&options.Socket, "socket", "", "path of the Unix socket")
	command.Flags().IntVar(&options.Parent, "parent", 0, "process to end with")
	return command
}
