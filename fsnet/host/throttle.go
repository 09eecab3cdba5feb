package host

import (
	"cmp"
	"context"
	"time"

	"fsnetlab/fsnet/session"
)

// watchShare is how much of its time a watched run may lose to its watchers, all of them together: where an update takes long, there are
// fewer.
const watchShare = 0.04

// cost is how long the last two updates of a watcher have held the turn; 0: there was none. Of one that took longer than the other a
// compiler was the cause, or a machine that stood still.
type cost struct{ last, before time.Duration }

// rest is how long a watcher of a run waits after an update, at the least the interval, one of so many watchers.
func (c cost) rest(interval time.Duration, watchers int) time.Duration {
	return max(interval, time.Duration(float64(min(c.last, c.before))*float64(watchers)/watchShare))
}

// throttle waits as long as a watcher does after an update, and then for news, or until its context or the session ends. The end of a run
// cuts the rest short: nobody waits long to be told of that.
func (h *Host) throttle(ctx context.Context, s *live, w *watcher, request session.WatchRequest) {
	interval := time.Duration(float64(time.Second) / cmp.Or(request.Rate, session.MaxRate))
	begun, news := time.Now(), false
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		rest := interval
		if s.running() != nil {
			rest = w.cost.rest(interval, s.watchers.count())
		}
		wait := time.Duration(float64(rest)/cmp.Or(h.options.UpdateFactor, 1)) - time.Since(begun)
		over := timer.C
		switch {
		case wait > 0:
			timer.Reset(wait)
		case news:
			return
		default:
			over = nil // there is only news to wait for
		}
		select {
		case <-over:
		case <-w.news:
			news = true
		case <-ctx.Done():
			return
		case <-s.life.Done():
			return
		}
	}
}
