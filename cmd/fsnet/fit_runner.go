package main

import (
	"context"
	"os"
	"os/exec"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// runnerOf is how replicas are trained: together in this process where that is asked for, or where the device is a GPU and nobody asks
// for workers; else in worker processes.
func (o fitOptions) runnerOf(ctx context.Context, settings config.Settings) (replica.Runner, error) {
	if o.together || o.workers == 0 && settings.Backend == "xla:cuda" {
		return &replica.Together{}, nil
	}
	if o.workers == 0 && settings.Backend == "auto" && device.FindPlugin("xla:cuda") != "" { // whether there is a GPU shows on opening it
		device, err := device.Open(ctx, settings.Backend)
		if err != nil {
			return nil, err
		}
		device.Close() // the runner has its own: an interrupt does not wait for it
		if device.Name == "xla:cuda" {
			return &replica.Together{}, nil
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "run it without --replicas", "the program that the workers are is not found")
	}
	return &replica.Workers{Count: o.workers, Command: func() *exec.Cmd {
		c := exec.Command(program, "worker") //nolint:noctx // the runner ends it, and more gently
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		return c
	}}, nil
}
