package process

import "context"

// Lock is a mutex for which whoever waits may give up. Make one with NewLock.
type Lock chan struct{}

// NewLock makes an open lock.
func NewLock() Lock { return make(Lock, 1) }

// Acquire waits until nobody holds the lock, or returns the context's error. Release must follow.
func (l Lock) Acquire(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TryAcquire is Acquire where nobody holds the lock, and false elsewhere. Release must follow where it is true.
func (l Lock) TryAcquire() bool {
	select {
	case l <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release lets the next one in.
func (l Lock) Release() { <-l }

type forceInterrupt struct{}

// WithForceInterrupt is a context whose work is not waited for once a second interrupt has closed forced.
func WithForceInterrupt(ctx context.Context, forced <-chan struct{}) context.Context {
	return context.WithValue(ctx, forceInterrupt{}, forced)
}

// ForceInterrupt is closed by a second interrupt of what is done under a context; nil where nobody can.
func ForceInterrupt(ctx context.Context) <-chan struct{} {
	forced, _ := ctx.Value(forceInterrupt{}).(<-chan struct{})
	return forced
}
