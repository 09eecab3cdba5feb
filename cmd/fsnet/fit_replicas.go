package main

import (
	"context"
	"io"
	"time"

	"fsnetlab/cmd/fsnet/progress"
	"fsnetlab/cmd/fsnet/replicas"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/replica"
)

// runReplicas is fit with --replicas.
func runReplicas(ctx context.Context, o fitOptions, settings config.Settings, out, messages io.Writer) error {
	plan := replica.Plan{Settings: settings, Replicas: o.replicas}
	if err := plan.Check(); err != nil {
		return err
	}
	if err := o.writable(settings.Data); err != nil {
		return err
	}
	if o.save != "" {
		plan.Save = o.saveOf
	}
	runner, err := o.runnerOf(ctx, settings)
	if err != nil {
		return err
	}
	bar := progress.NewBar(messages, o.quiet)
	start, workers := time.Now(), 1
	trained, runErr := runner.Run(ctx, plan, func(p replica.Progress) {
		workers = max(1, p.Workers)
		replicas.Draw(bar, p)
	})
	bar.End()
	report := replicas.NewReport(trained, workers, time.Since(start))
	if report == nil {
		return replicas.FirstError(trained, runErr)
	}
	_, report.Together = runner.(*replica.Together)
	if runErr != nil { // as with a single fit: for the user to see, not where a program expects a finished result
		_ = report.Print(messages)
		return runErr
	}
	if err := report.Picture(o.picture); err != nil {
		return err
	}
	if err := o.deliver(out, report, func() error { return report.Print(out) }); err != nil {
		return err
	}
	return report.Err(o.replicas)
}

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
	return replicas.Workers(o.workers)
}
