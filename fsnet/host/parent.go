package host

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// parentInterval is how often the parent is looked for. With the time a host takes to end it stays well under 2 s.
const parentInterval = 250 * time.Millisecond

// WithParent returns a context that ends when the process pid has ended, however it went. A child is adopted by another process then,
// which every system shows; where pid is not the parent itself (a shell stands between), it is gone when it cannot be signalled any
// more. On Linux the system also tells a child at once. The goroutine behind it ends with the context.
func WithParent(ctx context.Context, pid int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	child := os.Getppid() == pid
	// The signal that Linux sends is also sent when the parent's thread that started this process ends and the process lives on: it
	// only hastens the look.
	told := make(chan os.Signal, 1)
	signal.Notify(told, deathSignal)
	if child {
		askForDeathSignal()
	}
	go func() {
		defer cancel()
		defer signal.Stop(told)
		ticker := time.NewTicker(parentInterval)
		defer ticker.Stop()
		for alive(pid, child) {
			select {
			case <-ctx.Done():
				return
			case <-told:
			case <-ticker.C:
			}
		}
	}()
	return ctx, cancel
}

func alive(pid int, child bool) bool {
	if child {
		return os.Getppid() == pid
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM) // somebody else's process is a process
}

const deathSignal = syscall.SIGUSR1
