package kernel

import (
	"context"
	"os"
	"strconv"
	"time"
)

// socketPrefix begins the names of kernels' directories.
const socketPrefix = "fsnet-kernel-"

// orphanGrace is how long a program that a cell has left running has to end once it was told so.
const orphanGrace = 300 * time.Millisecond

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
