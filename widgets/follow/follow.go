// Package follow keeps a live view of a session up to date.
//
// # Basics
//
// A [Follower] watches one session for one view: [Follower.Follow] begins, [Follower.Ask] changes what is told.
//
//	f := follow.New(life, service, "leukemia", session.WatchRequest{Selection: true}, view.show, view.fail)
//	f.Follow()
//
// # Caveats
//
// A watch ends when its session is closed. Follow begins another, which is what the kernel calls when a session of that name was opened
// again; it does nothing while there is one. A view that panics over what it is told fails so, too, and the stack goes to standard error.
package follow

import (
	"context"
	"sync"

	"fsnetlab/fsnet/session"
)

// Follower watches one session. It may be used from any goroutine.
type Follower struct {
	life    context.Context
	service session.Service
	name    string
	tell    func(session.Update)
	fail    func(error)
	// Begin, which may be nil, is called before each watch. It is set before Follow.
	Begin func()

	mu        sync.Mutex
	request   session.WatchRequest
	cancel    context.CancelFunc // of the watch that is on; nil is none
	following bool
}

// New makes a follower that tells nothing yet. It ends with life. tell is called from one goroutine at a time; fail with the reason why a
// watch could not go on.
func New(life context.Context, s session.Service, name string, request session.WatchRequest, tell func(session.Update), fail func(error)) *Follower {
	return &Follower{life: life, service: s, name: name, request: request, tell: tell, fail: fail}
}

// Follow tells of the session from now on, where that is not so already.
func (f *Follower) Follow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.following || f.life.Err() != nil {
		return
	}
	f.following = true
	go f.follow()
}

// Ask changes what is told from now on. The session as it is now is told at once.
func (f *Follower) Ask(request session.WatchRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.request = request
	if f.cancel != nil {
		f.cancel()
	}
}

func (f *Follower) follow() {
	for {
		f.mu.Lock()
		ctx, cancel := context.WithCancel(f.life)
		f.cancel = cancel
		request := f.request
		f.mu.Unlock()
		if f.Begin != nil {
			f.Begin()
		}
		err := Watch(ctx, f.service, f.name, request, f.tell)
		f.mu.Lock()
		again := ctx.Err() != nil && f.life.Err() == nil // it was asked for something else
		cancel()
		f.cancel = nil
		f.following = again
		f.mu.Unlock()
		if again {
			continue
		}
		if err != nil && f.life.Err() == nil {
			f.fail(err)
		}
		return
	}
}
