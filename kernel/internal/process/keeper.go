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

// Child is a process, or the connection to it.
type Child interface {
	comparable
	Done() <-chan struct{}    // closed once it has ended or was given up
	Stop(grace time.Duration) // ends it with all that it has started; after grace it is killed
}

// KeeperOptions are for NewKeeper.
type KeeperOptions[C Child] struct {
	Name string // for people
	// Start starts a child within the context. before is the one that ended, or none: Start stops what is left of it.
	Start func(ctx context.Context, before C) (C, error)
	Limit time.Duration // that a start may take
	Rest  time.Duration // after a start that failed, in which its error is given again
	Idle  time.Duration // after which a child that nobody asks for is stopped; 0 is never
}

// Keeper keeps one child: it starts it when somebody first needs it, once for all who wait, and again for the next one once it has ended.
// Its methods may be called from any goroutine.
type Keeper[C Child] struct {
	options KeeperOptions[C]
	life    context.Context // ends with Stop
	end     context.CancelFunc

	mu       sync.Mutex
	child    C         // the last one, also once it has ended
	starting *start[C] // under way, or nil
	failed   time.Time // when a start failed last
	err      error     // why
	idle     *time.Timer
}

// start is one that several may wait for.
type start[C Child] struct {
	over  chan struct{}
	child C
	err   error
}

// NewKeeper starts nothing yet.
func NewKeeper[C Child](o KeeperOptions[C]) *Keeper[C] {
	k := &Keeper[C]{options: o}
	k.life, k.end = context.WithCancel(context.Background())
	if o.Idle > 0 {
		k.idle = time.AfterFunc(o.Idle, func() { k.Drop(k.Last()) })
	}
	return k
}

// Last is the child that was started last, also once it has ended, or none.
func (k *Keeper[C]) Last() C {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.child
}

// Current is the child that lives, or none.
func (k *Keeper[C]) Current() C {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current()
}

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

// Get is the child that lives, started where there is none. A context that ends gives kind Interrupted, and the start goes on: the next one
// finds it.
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
			if errors.Is(s.err, exec.ErrNotFound) { // nobody has installed it, as beside a wheel: whoever asks for it is told
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

// Drop stops a child that hangs or is not needed any more, unless it was replaced already. The next Get starts another.
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

// Stop ends the child for good, also one that is being started. It returns when it has ended.
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
