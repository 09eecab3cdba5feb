package process

import "context"

// Gate lets one at a time through, and whoever waits may give up. Make one with NewGate.
type Gate chan struct{}

// NewGate makes an open gate.
func NewGate() Gate { return make(Gate, 1) }

// Enter waits for its turn, or returns the context's error. Leave must follow.
func (g Gate) Enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Try is Enter where nobody is inside, and false elsewhere. Leave must follow where it is true.
func (g Gate) Try() bool {
	select {
	case g <- struct{}{}:
		return true
	default:
		return false
	}
}

// Leave lets the next one through.
func (g Gate) Leave() { <-g }

type insistence struct{}

// WithInsistence is a context that knows of a second interrupt: insisted is closed by it. What has not ended until then is not waited for.
func WithInsistence(ctx context.Context, insisted <-chan struct{}) context.Context {
	return context.WithValue(ctx, insistence{}, insisted)
}

// Insisted is closed by a second interrupt of what is done under a context; nil where nobody can.
func Insisted(ctx context.Context) <-chan struct{} {
	insisted, _ := ctx.Value(insistence{}).(<-chan struct{})
	return insisted
}
