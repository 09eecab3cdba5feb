package main

import (
	"os"
	"strconv"

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
			var err error
			if options.UpdateFactor, err = updateFactor(); err != nil {
				return err
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

const (
	updateFactorVariable = "FSNET_UPDATE_FACTOR"
	mostUpdateFactor     = 100
)

// updateFactor is how many times as often as usual live views are told what happens: for tests that want hours of a page in minutes.
func updateFactor() (float64, error) {
	text := os.Getenv(updateFactorVariable)
	if text == "" {
		return 1, nil
	}
	times, err := strconv.ParseFloat(text, 64)
	if err != nil || !(times >= 1 && times <= mostUpdateFactor) {
		return 0, fault.New(fault.Request, "give a number from 1 to 100, or unset the variable",
			"%s=%s is not how many times as often live views are updated", updateFactorVariable, text)
	}
	return times, nil
}
