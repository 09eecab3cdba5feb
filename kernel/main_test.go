package kernel

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session/sessiontest"
)

// The test binary is also the processes of its tests: a host with an engine for tests, a doctor, and a kernel to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "host":
			os.Exit(runHost(os.Args[2:]))
		case "doctor":
			fmt.Println("✓ everything <is> fine")
			os.Exit(0)
		case "kernel":
			os.Exit(runKernel(os.Args[2]))
		case "broken":
			fmt.Fprintln(os.Stderr, "no device")
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// keepRuns is set for hosts that write checkpoints.
const keepRuns = "FSNET_TEST_KEEP_RUNS"

func runHost(args []string) int {
	var o host.RunOptions
	flags := flag.NewFlagSet("host", flag.ExitOnError)
	flags.StringVar(&o.Socket, "socket", "", "")
	flags.IntVar(&o.Parent, "parent", 0, "")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	o.Ready, o.Log = os.Stdout, os.Stderr
	o.Open = func(ctx context.Context, s config.Settings, dir string) (host.Training, error) {
		t, err := sessiontest.Open(ctx, s, dir)
		if err != nil {
			return nil, err // not a Training that holds nothing
		}
		return host.Adapt(t), nil
	}
	if os.Getenv(keepRuns) != "" {
		o.Resume = func(ctx context.Context, files []string, dir string) (host.Training, []error, error) {
			t, damaged, err := sessiontest.Resume(ctx, files, dir)
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

func runKernel(file string) int {
	k, err := New(Options{ConnectionFile: file, Host: []string{os.Args[0], "host"}, Log: os.Stderr})
	if err == nil {
		err = k.Run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return fault.ExitStatus(err)
}
