package main

import (
	"context"
	"os"
	"os/exec"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// runnerOf is how replicas are trained: together in this process where that is asked for, or where the device is a GPU and nobody asks
// for workers; else in worker processes, whose number it returns. It may open a device, and close frees it.
func (o fitOptions) runnerOf(ctx context.Context, settings config.Settings) (runner replica.Runner, workers int, closeDevice func(), err error) {
	closeDevice = func() {}
	if o.together || o.workers == 0 && settings.Backend == "xla:cuda" {
		return &replica.Together{}, 1, closeDevice, nil
	}
	if o.workers == 0 && settings.Backend == "auto" && fsnet.FindPlugin("xla:cuda") != "" { // whether there is a GPU shows on opening it
		device, err := fsnet.OpenDevice(ctx, settings.Backend)
		if err != nil {
			return nil, 0, closeDevice, err
		}
		if device.Name == "xla:cuda" {
			return &replica.Together{Device: device}, 1, device.Close, nil
		}
		settings.Backend = device.Name
		device.Close()
	}
	program, err := os.Executable()
	if err != nil {
		return nil, 0, closeDevice, fault.Wrap(err, fault.Unavailable, "run it without --replicas", "the program that the workers are is not found")
	}
	if workers = o.workers; workers == 0 {
		workers = replica.Cores(settings)
	}
	workers = min(workers, o.replicas)
	return &replica.Workers{Count: workers, Command: func() *exec.Cmd {
		c := exec.Command(program, "worker") //nolint:noctx // the runner ends it, and more gently
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		return c
	}}, workers, closeDevice, nil
}
