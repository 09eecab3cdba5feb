package replicas

import (
	"fmt"
	"os"
	"os/exec"

	"fsnetlab/cmd/fsnet/progress"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
	"fsnetlab/internal/count"
)

// MaxWorkers is more than any machine has cores.
const MaxWorkers = 10_000

// Workers trains replicas in processes of this program, so many at once; 0 is as many as the machine has cores and room for.
func Workers(count int) (*replica.Workers, error) {
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

// Draw shows how far replicas are.
func Draw(bar *progress.Bar, p replica.Progress) {
	if p.News != "" {
		bar.Say(p.News)
	}
	share := p.Share
	if p.Done+p.Failed < p.Replicas { // the last steps are made, but the last replica is not evaluated yet
		share = min(share, 0.99)
	}
	bar.Draw(share, p.Running == 0 && share == 1, fmt.Sprintf("%s  %s steps/s", countOf(p), rate(p.StepsPerSecond)),
		progress.LeftText(p.Left.Seconds(), p.Left > 0 || p.Share == 1))
}

// FirstError is why there is no result at all.
func FirstError(replicas []replica.Replica, runErr error) error {
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

func rate(perSecond float64) string {
	if perSecond == 0 {
		return "?"
	}
	return fmt.Sprintf("%.0f", perSecond)
}
