package kernel

import (
	"context"
	"os"
	"strconv"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
)

const (
	socketPrefix  = "fsnet-kernel-"
	longestPrefix = 80 // bytes of a directory whose sockets every system can bind
)

// newSocketDirectory makes a private directory with a short path, and removes those of kernels that were killed. It is never in the
// home, which may be on a network file system.
func newSocketDirectory() (string, error) {
	var lastError error
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if parent == "" || len(parent) > longestPrefix {
			continue
		}
		dir, err := process.Directory(parent, socketPrefix)
		if err == nil {
			return dir, nil
		}
		lastError = err
	}
	return "", fault.Wrap(lastError, fault.Failed, "set XDG_RUNTIME_DIR or TMPDIR to a directory that you may write to", "no directory for the kernel's sockets")
}

// parentGone is closed when the Jupyter server that started this kernel has died without a word. Other parents are not watched: a
// kernel started by hand may outlive its shell.
func parentGone(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid()
	if os.Getenv("JPY_PARENT_PID") != strconv.Itoa(parent) {
		return gone
	}
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != parent {
					close(gone)
					return
				}
			}
		}
	}()
	return gone
}
