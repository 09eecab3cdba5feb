package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/fault/boundary"
	"fsnetlab/fsnet/session"
)

// maxWatches is how many watches one connection may have at a time.
const maxWatches = 256

// watching is the watches of one connection, by the client's numbers.
type watching struct {
	ctx     context.Context //nolint:containedctx // it is that of the connection, which this lives as long as
	service session.Service
	notify  func(session.UpdateParams)
	working *sync.WaitGroup // of the connection

	mu    sync.Mutex
	stops map[int64]context.CancelFunc
}

// watch answers once the first update is there, or with the error that there is instead.
func (w *watching) watch(request context.Context, p session.WatchParams) (session.Watching, error) {
	ctx, err := w.begin(p.Watch)
	if err != nil {
		return session.Watching{}, err
	}
	first, failed := make(chan session.Status, 1), make(chan error, 1)
	w.working.Go(func() {
		defer w.end(p.Watch)
		begun := false
		err := guardedWatch(ctx, w.service, p, func(u session.Update) {
			if !begun {
				begun = true
				first <- u.Status
			}
			if ctx.Err() == nil {
				w.notify(session.UpdateParams{Watch: p.Watch, Update: &u})
			}
		})
		switch {
		case !begun:
			failed <- err
		case err != nil && ctx.Err() == nil:
			w.notify(session.UpdateParams{Watch: p.Watch, Error: fault.Of(err)})
		}
	})
	select {
	case status := <-first:
		return session.Watching{Watch: p.Watch, Status: status}, nil
	case err := <-failed:
		if err == nil {
			err = fault.New(fault.Interrupted, "", "the watch of session %q ended before it began", p.Session)
		}
		return session.Watching{}, err
	case <-request.Done(): // the connection has ended
		return session.Watching{}, fault.Wrap(context.Cause(request), fault.Interrupted, "",
			"session %q: waiting for it was interrupted", p.Session)
	}
}

// guardedWatch keeps a panic from taking the process along.
func guardedWatch(ctx context.Context, service session.Service, p session.WatchParams, tell func(session.Update)) error {
	return boundary.Do(slog.Default(), fmt.Sprintf("the watch of session %q", p.Session), func() error {
		return service.Watch(ctx, p.Session, p.WatchRequest, tell)
	})
}

func (w *watching) begin(number int64) (context.Context, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stops[number] != nil:
		return nil, fault.New(fault.Request, "give each watch of a connection another number", "watch = %d is in use", number)
	case len(w.stops) >= maxWatches:
		return nil, fault.New(fault.Request, "end one with unwatch", "%d watches are on this connection, the most there can be", maxWatches)
	case w.ctx.Err() != nil:
		return nil, fault.New(fault.Unavailable, "start it again", "the host is ending")
	}
	ctx, cancel := context.WithCancel(w.ctx)
	w.stops[number] = cancel
	return ctx, nil
}

func (w *watching) end(number int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stops[number]()
	delete(w.stops, number)
}

func (w *watching) unwatch(_ context.Context, p session.UnwatchParams) (empty, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.stops[p.Watch]; stop != nil {
		stop()
	}
	return empty{}, nil
}
