package main

import (
	"context"
	"io"
	"time"

	"fsnetlab/fsnet/config"
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
	runner, err := newWorkers(o.workers)
	if err != nil {
		return err
	}
	bar := newBar(messages, o.quiet)
	start, workers := time.Now(), 1
	trained, runErr := runner.Run(ctx, plan, func(p replica.Progress) {
		workers = max(1, p.Workers)
		drawReplicas(bar, p)
	})
	bar.End()
	report := newReplicasReport(trained, workers, time.Since(start))
	if report == nil {
		return firstError(trained, runErr)
	}
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
