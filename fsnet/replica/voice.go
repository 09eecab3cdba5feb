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

// voice is what a worker says to its parent.
type voice struct {
	mu      sync.Mutex
	encoder *json.Encoder
	ended   bool
}

// say says one thing. The error is that the parent has gone.
func (v *voice) say(r reply) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended {
		return nil
	}
	return v.encoder.Encode(r)
}

// end: whatever is said later is not.
func (v *voice) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = true
}

// beat says that this process is alive, and how much it has computed, until the context ends.
func (v *voice) beat(ctx context.Context) {
	ticker := time.NewTicker(beatInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if v.say(reply{Alive: &alive{CPU: processorTime()}}) != nil {
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
