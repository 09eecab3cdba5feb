package replica

import (
	"context"
	"encoding/json"
	"sync"
	"syscall"
	"time"
)

// beatInterval is how often a worker says that it is alive.
const beatInterval = time.Second

// answers are what a worker sends its parent.
type answers struct {
	mu      sync.Mutex
	encoder *json.Encoder
	ended   bool
}

// send sends one answer. An error says that the parent has gone.
func (a *answers) send(r reply) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return nil
	}
	return a.encoder.Encode(r)
}

// end drops what is sent later.
func (a *answers) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
}

// heartbeat says that this process is alive, and how much it has computed, until the context ends.
func (a *answers) heartbeat(ctx context.Context) {
	ticker := time.NewTicker(beatInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if a.send(reply{Alive: &alive{CPU: processorTime()}}) != nil {
				return
			}
		}
	}
}

// processorTime is the seconds that all threads of this process have computed.
func processorTime() float64 {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}
