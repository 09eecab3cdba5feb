package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"fsnetlab/cmd/fsnet/progress"
	"fsnetlab/fsnet/device"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
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
	replicas, runErr := runner.Run(ctx, plan, func(p replica.Progress) {
		if workers = max(1, p.Workers); p.News != "" {
			bar.Say(p.News)
		}
		share := p.Share
		if p.Done+p.Failed < p.Replicas { // the last steps are made, but the last replica is not evaluated yet
			share = min(share, 0.99)
		}
		bar.Draw(share, p.Running == 0 && share == 1, fmt.Sprintf("%s  %s steps/s", countOf(p), rate(p.StepsPerSecond)),
			progress.LeftText(p.Left.Seconds(), p.Left > 0 || p.Share == 1))
	})
	bar.End()
	report := newReplicasReport(replicas, workers, time.Since(start))
	if report == nil {
		return firstError(replicas, runErr)
	}
	_, report.Together = runner.(*replica.Together)
	if runErr != nil { // as with a single fit: for the user to see, not where a program expects a finished result
		_ = report.print(messages)
		return runErr
	}
	if err := report.draw(o.picture); err != nil {
		return err
	}
	if err := o.deliver(out, report, func() error { return report.print(out) }); err != nil {
		return err
	}
	if n := len(report.Failed); n > 0 {
		return fault.New(fault.Failed, "the report is of the others", "%d of %d replicas failed, the first with: %s", n, o.replicas,
			report.Failed[0].Error)
	}
	return nil
}

// firstError is why there is no result at all.
func firstError(replicas []replica.Replica, runErr error) error {
	if runErr != nil || len(replicas) == 0 {
		return runErr
	}
	return replicas[0].Err
}

func countOf(p replica.Progress) string {
	text := fmt.Sprintf("%d of %d replicas", p.Done, p.Replicas)
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

func rate(perSecond float64) string {
	if perSecond == 0 {
		return "?"
	}
	return fmt.Sprintf("%.0f", perSecond)
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
