package host

import (
	"sync"
	"time"

	"fsnetlab/fsnet/session"
)

// progressInterval is the least time between two reports to one watcher.
const progressInterval = 100 * time.Millisecond

// watchers passes on what runs report. Each has a goroutine of its own with the latest report of each session, so that a slow one sees
// fewer reports and holds up nobody.
type watchers struct {
	mu    sync.Mutex
	all   map[*watcher]struct{}
	ended bool
}

type watcher struct {
	latest map[string]session.Progress // guarded by watchers.mu
	news   chan struct{}
	stop   chan struct{}
	once   sync.Once
}

// Watch calls tell with the latest progress of every step and run, at most ten times a second a session, until stop is called or the
// host shuts down. Calls come one at a time. The last report of a run is always told, unless a newer run follows at once.
func (h *Host) Watch(tell func(session.Progress)) (stop func()) { return h.watchers.add(tell) }

func (ws *watchers) add(tell func(session.Progress)) (stop func()) {
	w := &watcher{latest: map[string]session.Progress{}, news: make(chan struct{}, 1), stop: make(chan struct{})}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.ended {
		return func() {}
	}
	if ws.all == nil {
		ws.all = map[*watcher]struct{}{}
	}
	ws.all[w] = struct{}{}
	go ws.pump(w, tell)
	return func() {
		ws.mu.Lock()
		delete(ws.all, w)
		ws.mu.Unlock()
		w.end()
	}
}

func (w *watcher) end() { w.once.Do(func() { close(w.stop) }) }

func (ws *watchers) pump(w *watcher, tell func(session.Progress)) {
	pause := time.NewTicker(progressInterval)
	defer pause.Stop()
	for {
		select {
		case <-w.news:
		case <-w.stop:
			return
		}
		ws.mu.Lock()
		reports := w.latest
		w.latest = map[string]session.Progress{}
		ws.mu.Unlock()
		for _, p := range reports {
			tell(p)
		}
		pause.Reset(progressInterval)
		select {
		case <-pause.C:
		case <-w.stop:
			return
		}
	}
}

func (ws *watchers) tell(p session.Progress) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.all {
		w.latest[p.Session] = p
		select {
		case w.news <- struct{}{}:
		default:
		}
	}
}

func (ws *watchers) end() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.ended = true
	for w := range ws.all {
		w.end()
	}
	clear(ws.all)
}
