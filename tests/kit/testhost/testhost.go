// Package testhost is a host process for tests, whose engine needs no device: a test binary that is started with the word host calls [Run].
// [Halt] stops such a process as a debugger would. With [KeepRuns] in the environment it keeps run directories.
package testhost

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// KeepRuns is set for hosts that write checkpoints.
const KeepRuns = "FSNET_TEST_KEEP_RUNS"

// Run serves sessions as the host verb does, and returns the exit status.
func Run(args []string) int {
	var o host.RunOptions
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	flags.StringVar(&o.Socket, "socket", "", "")
	flags.IntVar(&o.Parent, "parent", 0, "")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	o.Ready = os.Stdout
	o.Open = func(ctx context.Context, s config.Settings, dir string) (host.Training, error) {
		t, err := fake.Open(ctx, s, dir)
		if err != nil {
			return nil, err // not a Training that holds nothing
		}
		return host.Adapt(t), nil
	}
	if os.Getenv(KeepRuns) != "" {
		o.Resume = func(ctx context.Context, files []string, dir string) (host.Training, []error, error) {
			t, damaged, err := fake.Resume(ctx, files, dir)
			if err != nil {
				return nil, damaged, err
			}
			return host.Adapt(t), damaged, nil
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return fault.ExitStatus(host.Run(ctx, o))
}
