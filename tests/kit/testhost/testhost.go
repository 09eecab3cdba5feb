// Package testhost is a host process for tests. Its engine needs no device. A
// test binary started with the word host calls [Run]. [Halt] stops such a
// process as a debugger would. With [KeepRuns] in the environment it keeps run
// directories. Start reading with Run.
package testhost

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// KeepRuns is the variable to set for hosts that should write checkpoints.
const KeepRuns = "FSNET_TEST_KEEP_RUNS"

// Run serves sessions as fsnet host does, and returns the exit status.
func Run(args []string) int {
	var o host.RunOptions
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	flags.StringVar(&o.Socket, "socket", "", "")
	flags.IntVar(&o.Parent, "parent", 0, "")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	o.Ready = os.Stdout
	o.Open = fake.Open
	if os.Getenv(KeepRuns) != "" {
		o.Resume = fake.Resume
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return errs.ExitStatus(host.Run(ctx, o))
}
