package system

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// Alive reports whether a process is running, whoever owns it. If /proc shows
// that it is a zombie, it returns false.
func Alive(pid int) bool {
	if pid < 1 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	// The format is "pid (name) state …", and the name may contain anything.
	_, rest, found := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(") "))
	return !found || len(rest) == 0 || (rest[0] != 'Z' && rest[0] != 'X')
}

// parentInterval is the time between two checks of the parent. Together with
// the time that a host takes to end, it is well below 2 s.
const parentInterval = 250 * time.Millisecond

// WithProcess returns a context that ends when the process pid has ended, for
// whatever reason. A child notices that another process has adopted it. Any
// other process, such as one below a shell, checks the pid. On Linux the system
// also signals a child at once. The goroutine behind the context ends with the
// context.
func WithProcess(ctx context.Context, pid int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	child := os.Getppid() == pid
	// Linux also signals when only the parent's thread that started this
	// process ends. So a signal only triggers a check.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, deathSignal)
	if child {
		askForDeathSignal()
	}
	go func() {
		defer cancel()
		defer signal.Stop(signals)
		ticker := time.NewTicker(parentInterval)
		defer ticker.Stop()
		for child && os.Getppid() == pid || !child && Alive(pid) {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			case <-ticker.C:
			}
		}
	}()
	return ctx, cancel
}

const deathSignal = syscall.SIGUSR1
