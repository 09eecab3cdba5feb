package main

import (
	"fmt"
	"os"
	"os/exec"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
	"fsnetlab/internal/count"
)

// maxWorkers is more than any machine has cores.
const maxWorkers = 10_000

// newWorkers trains replicas in processes of this program, so many at once; 0 is as many as the machine has cores and room for.
func newWorkers(count int) (*replica.Workers, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "run it without --replicas", "the program for the workers is not found")
	}
	return &replica.Workers{Count: count, Command: func() *exec.Cmd {
		c := exec.Command(program, "worker") //nolint:noctx // the runner ends it, and more gently
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		return c
	}}, nil
}

// drawReplicas shows how far replicas are.
func drawReplicas(bar *progressBar, p replica.Progress) {
	if p.News != "" {
		bar.Say(p.News)
	}
	share := p.Share
	if p.Done+p.Failed < p.Replicas { // the last steps are made, but the last replica is not evaluated yet
		share = min(share, 0.99)
	}
	bar.Draw(share, p.Running == 0 && share == 1, fmt.Sprintf("%s  %s steps/s", countOf(p), rateText(p.StepsPerSecond)),
		leftText(p.Left.Seconds(), p.Left > 0 || p.Share == 1))
}

// firstError is why there is no result at all.
func firstError(replicas []replica.Replica, runErr error) error {
	if runErr != nil || len(replicas) == 0 {
		return runErr
	}
	return replicas[0].Err
}

func countOf(p replica.Progress) string {
	text := fmt.Sprintf("%d of %s", p.Done, count.Of(p.Replicas, "replica"))
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

func rateText(perSecond float64) string {
	if perSecond == 0 {
		return "?"
	}
	return fmt.Sprintf("%.0f", perSecond)
}
