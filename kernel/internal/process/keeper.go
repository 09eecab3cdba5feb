package process

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Child is a process, or the connection to one.
type Child interface {
	comparable
	Done() <-chan struct{}    // closed once the child has ended or was given up
	Stop(grace time.Duration) // ends the child and everything it has started; kills it after grace
}

// KeeperOptions are the options of NewKeeper. Start and Limit are required.
type KeeperOptions[C Child] struct {
	Name string // what users call the child
	// Start starts a child within the context. before is the child that ended,
	// or the zero value. Start must stop what remains of it.
	Start func(ctx context.Context, before C) (C, error)
	Limit time.Duration // for one start
	Rest  time.Duration // after a failed start, during which Get returns the same error
	Idle  time.Duration // time without a Get after which the child is stopped; 0 means never
}

// Keeper keeps one child running. The first Get starts the child, and so does
// the first Get after it has ended. Callers that wait at the same time share
// one start. Its methods are safe for concurrent use.
type Keeper[C Child] struct {
	options KeeperOptions[C]
	life    context.Context // ends with Stop
	end     context.CancelFunc

	mu       sync.Mutex
	child    C         // the last child, even if it has ended
	starting *start[C] // nil if no start is under way
	failed   time.Time // when the last start failed
	err      error     // of the last start
	idle     *time.Timer
}

// start is a start that several callers may wait for.
type start[C Child] struct {
	over  chan struct{}
	child C
	err   error
}

// NewKeeper returns a keeper that has started nothing yet. It doesn't check the
// options. The idle time starts now.
func NewKeeper[C Child](o KeeperOptions[C]) *Keeper[C] {
	k := &Keeper[C]{options: o}
	k.life, k.end = context.WithCancel(context.Background())
	if o.Idle > 0 {
		k.idle = time.AfterFunc(o.Idle, func() { k.Drop(k.Last()) })
	}
	return k
}

// Last returns the child that was started last, even if it has ended, or the
// zero value.
func (k *Keeper[C]) Last() C {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.child
}

// Current returns the running child, or the zero value.
func (k *Keeper[C]) Current() C {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current()
}

// current is Current for a caller that holds the lock.
func (k *Keeper[C]) current() (none C) {
	if k.child == none {
		return none
	}
	select {
	case <-k.child.Done():
		return none
	default:
		return k.child
	}
}

// Get returns the running child. If there is none, it starts one and waits for
// the start. If the context ends first, the error is of kind Interrupted, and
// the start continues for the next Get. After Stop the error is of kind
// Unavailable.
func (k *Keeper[C]) Get(ctx context.Context) (none C, err error) {
	k.mu.Lock()
	if k.idle != nil {
		k.idle.Reset(k.options.Idle)
	}

	child, s := k.current(), k.starting
	switch {
	case child != none:
	case k.Ended():
		err = errEnded()
	case s == nil && k.err != nil && time.Since(k.failed) < k.options.Rest:
		err = k.err
	case s == nil:
		s = &start[C]{over: make(chan struct{})}
		k.starting = s
		go k.start(s, k.child)
	}

	k.mu.Unlock()
	if child != none || err != nil {
		return child, err
	}

	select {
	case <-s.over:
		return s.child, s.err
	case <-ctx.Done():
		return none, errs.New(errs.Interrupted, "", "waiting for %s was interrupted", k.options.Name)
	}
}

// start starts a replacement for before, the last child. It passes the child,
// or the error, to every Get that waits on s.
func (k *Keeper[C]) start(s *start[C], before C) {
	ctx, cancel := context.WithTimeout(k.life, k.options.Limit)
	defer cancel()
	began := time.Now()
	s.child, s.err = k.options.Start(ctx, before)

	k.mu.Lock()
	defer k.mu.Unlock()

	if s.err != nil {
		if k.Ended() {
			s.err = errEnded()
		} else {
			level := slog.LevelWarn
			if errors.Is(s.err, exec.ErrNotFound) { // it isn't installed, as with a wheel; its users get the error
				level = slog.LevelDebug
			}
			slog.Log(ctx, level, "a child of the kernel does not start", "child", k.options.Name, "error", s.err)
		}
		var none C
		s.child, k.failed = none, time.Now()
	} else {
		slog.Debug("a child of the kernel was started", "child", k.options.Name, "took", time.Since(began))
	}

	k.child, k.err, k.starting = s.child, s.err, nil
	close(s.over)
}

// Drop stops a child that hangs or is no longer needed, in the background. The
// next Get starts another. Drop does nothing if child was replaced already or
// is the zero value.
func (k *Keeper[C]) Drop(child C) {
	var none C
	k.mu.Lock()
	drop := child != none && child == k.child
	if drop {
		k.child = none
	}
	k.mu.Unlock()

	if drop {
		go child.Stop(0)
	}
}

// Ended reports whether Stop was called.
func (k *Keeper[C]) Ended() bool { return k.life.Err() != nil }

func errEnded() error { return errs.New(errs.Unavailable, "", "the kernel is shutting down") }

// Stop ends the child for good, even during its start, and returns when the
// child has ended.
func (k *Keeper[C]) Stop(grace time.Duration) {
	k.end()
	k.mu.Lock()
	s := k.starting
	k.mu.Unlock()
	if s != nil {
		<-s.over
	}

	var none C
	if child := k.Last(); child != none {
		child.Stop(grace)
	}

	if k.idle != nil {
		k.idle.Stop()
	}
}

const (
	// Silence is how long a child may leave a ping unanswered before it counts
	// as hung. A healthy child answers within a millisecond.
	Silence = 30 * time.Second
	// repeatedSilence is the limit after a ping that was never answered.
	repeatedSilence = time.Second
	looks           = 6 // consecutive checks that must find a ping unanswered
)

// Heartbeat pings a child. The child must answer at once, even while it works.
type Heartbeat struct {
	ask   func() error // returns after the answer, or when the child has ended
	limit time.Duration

	mu       sync.Mutex
	answered chan struct{} // closed by the answer to the last ping; nil before the first
	silent   bool          // the last Listen ended in silence
}

// NewHeartbeat returns a heartbeat that has sent no ping yet.
func NewHeartbeat(limit time.Duration, ask func() error) *Heartbeat {
	return &Heartbeat{ask: ask, limit: limit}
}

// Listen pings the child until the context ends. If the child is silent for too
// long, the channel receives how long, once. Listen counts checks instead of
// time, so that a kernel that was stopped together with its child doesn't blame
// the child.
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

// patience returns how long the next Listen should wait for an answer: limit
// or, after a ping that was never answered, at most repeatedSilence.
func (h *Heartbeat) patience() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent {
		return min(h.limit, repeatedSilence)
	}
	return h.limit
}

// answers reports whether the last ping was answered. If so, it sends the next
// one. Before the first ping it returns true. It doesn't wait.
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
		h.ask() //nolint:errcheck // the end of a child is noticed elsewhere
		close(answered)
	}()
	return true
}

// Lock is a mutex, but you may stop waiting for it. Make one with NewLock.
type Lock chan struct{}

// NewLock returns a lock that is free.
func NewLock() Lock { return make(Lock, 1) }

// Acquire waits for the lock, or returns the context's error. If it succeeds,
// the caller must call Release.
func (l Lock) Acquire(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TryAcquire acquires the lock if it is free, and reports whether it did. If
// so, the caller must call Release.
func (l Lock) TryAcquire() bool {
	select {
	case l <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release frees the lock.
func (l Lock) Release() { <-l }

// forceInterrupt is the context key of WithForceInterrupt.
type forceInterrupt struct{}

// WithForceInterrupt returns a context for calls that should stop waiting when
// a second interrupt closes forced.
func WithForceInterrupt(ctx context.Context, forced <-chan struct{}) context.Context {
	return context.WithValue(ctx, forceInterrupt{}, forced)
}

// ForceInterrupt returns the channel of [WithForceInterrupt], or nil.
func ForceInterrupt(ctx context.Context) <-chan struct{} {
	forced, _ := ctx.Value(forceInterrupt{}).(<-chan struct{})
	return forced
}
