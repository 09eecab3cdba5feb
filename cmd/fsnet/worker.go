package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/study"
)

// newWorkerCommand is a process that trains replicas for fit --replicas. It is started by it and hidden from people.
func newWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Train replicas (started by fsnet fit --replicas)",
		Hidden: true,
		Args:   noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			replies := os.NewFile(study.ReplyFile, "replies")
			if info, err := replies.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
				return fault.New(fault.Request, "fsnet fit --replicas starts workers", "no program reads what this worker says")
			}
			// A Ctrl-C reaches every process of a terminal. What becomes of a worker is its parent's business, and the end of its input
			// ends it; asked by name it ends at once.
			signal.Ignore(os.Interrupt)
			signal.Reset(syscall.SIGTERM)
			return study.Serve(context.WithoutCancel(c.Context()), os.Stdin, replies)
		},
	}
}
