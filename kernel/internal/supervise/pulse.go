package supervise

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

// Pulse asks a child whether it answers, which it does at once whatever it works on.
type Pulse struct {
	ask   func() error // returns once it was answered, or the child has ended
	limit time.Duration

	mu       sync.Mutex
	answered chan struct{} // closed by the answer to the last question; nil: nothing was asked
	silent   bool          // the child was silent when it was listened to last
}

// NewPulse asks nothing yet.
func NewPulse(limit time.Duration, ask func() error) *Pulse { return &Pulse{ask: ask, limit: limit} }

// Listen asks until the context ends, and tells once for how long the child has been silent, where that is too long. Looks are counted,
// not time: where the kernel was stopped together with its child nobody was silent.
func (p *Pulse) Listen(ctx context.Context) <-chan time.Duration {
	silent := make(chan time.Duration, 1)
	go func() {
		limit := p.patience()
		tick := time.NewTicker(limit / looks)
		defer tick.Stop()
		for missed := 0; missed < looks; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if missed++; p.answers() {
				missed = 0
			}
		}
		p.mu.Lock()
		p.silent = true
		p.mu.Unlock()
		silent <- limit
	}()
	return silent
}

func (p *Pulse) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent {
		return min(p.limit, repeatedSilence)
	}
	return p.limit
}

// answers reports whether the last question was answered, and asks the next one then.
func (p *Pulse) answers() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answered != nil {
		select {
		case <-p.answered:
		default:
			return false
		}
		p.silent = false
	}
	answered := make(chan struct{})
	p.answered = answered
	go func() {
		p.ask() //nolint:errcheck // a child that has ended is noticed elsewhere
		close(answered)
	}()
	return true
}
