package process

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// Output runs a command in a process group that ends with the context, and gives what it wrote.
func Output(ctx context.Context, command []string) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...) // its whole group is stopped below
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	p, err := Start(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(time.Second)
	}
	return text.String(), p.Err()
}
