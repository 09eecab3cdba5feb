package process

import (
	"context"
	"sync"
	"time"
)

const (
	// Silence is how long a child may leave unanswered whether it answers, which takes it a millisecond, before it is said to hang.
	Silence = 30 * time.Second
	// repeatedSilence is how long where the last question was left unanswered, too.
	repeatedSilence = time.Second
	looks           = 6 // that a child may miss in a row
)

// Heartbeat asks a child whether it answers, which it does at once whatever it works on.
type Heartbeat struct {
	ask   func() error // returns once it was answered, or the child has ended
	limit time.Duration

	mu       sync.Mutex
	answered chan struct{} // closed by the answer to the last question; nil: nothing was asked
	silent   bool          // the child was silent when it was listened to last
}

// NewHeartbeat asks nothing yet.
func NewHeartbeat(limit time.Duration, ask func() error) *Heartbeat {
	return &Heartbeat{ask: ask, limit: limit}
}

// Listen asks until the context ends, and tells once for how long the child has been silent, where that is too long. Looks are counted,
// not time: where the kernel was stopped together with its child nobody was silent.
func (h *Heartbeat) Listen(ctx context.Context) <-chan time.Duration {
	silent := make(chan time.Duration, 1)
	go func() {
		limit := h.patience()
		tick := time.NewTicker(limit / looks)
		defer tick.Stop()
		for missed := 0; missed < looks; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if missed++; h.answers() {
				missed = 0
			}
		}
		h.mu.Lock()
		h.silent = true
		h.mu.Unlock()
		silent <- limit
	}()
	return silent
}

func (h *Heartbeat) patience() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent {
		return min(h.limit, repeatedSilence)
	}
	return h.limit
}

// answers reports whether the last question was answered, and asks the next one then.
func (h *Heartbeat) answers() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answered != nil {
		select {
		case <-h.answered:
		default:
			return false
		}
		h.silent = false
	}
	answered := make(chan struct{})
	h.answered = answered
	go func() {
		h.ask() //nolint:errcheck // a child that has ended is noticed elsewhere
		close(answered)
	}()
	return true
}
