package alive

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// parentInterval is how often we look for the parent. With the time that a host takes to end it stays well under 2 s.
const parentInterval = 250 * time.Millisecond

// With returns a context that ends when the process pid has ended, however it ended. A child sees that another process has adopted it; any
// other process, such as one below a shell, asks for the pid. On Linux the system also tells a child at once. The goroutine behind the
// context ends with it.
func With(ctx context.Context, pid int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	child := os.Getppid() == pid
	// Linux also sends the signal when only the parent's thread that started this process ends: so it makes us look, and proves nothing.
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
		for child && os.Getppid() == pid || !child && Process(pid) {
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

const deathSignal = syscall.SIGUSR1
