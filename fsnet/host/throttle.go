package host

import (
	"cmp"
	"context"
	"time"

	"fsnetlab/fsnet/session"
)

const (
	// watchShare is how much of its time a watched run may lose to its watchers, all of them together: where an update takes long, there
	// are fewer.
	watchShare = 0.04
	// stallRest is the rest after an update that took much longer than usual: soon somebody has to look whether that is over.
	stallRest = 1500 * time.Millisecond
)

// cost is how long the updates of one watcher have held the turn.
type cost struct {
	last, before time.Duration // the last two; 0: there were none
	usual        time.Duration // the least of two or more, when nothing else was in their way; 0: not known yet
}

func (c *cost) note(took time.Duration) {
	c.before, c.last = c.last, took
	switch {
	case c.before == 0: // the first may have compiled a program
	case c.usual == 0:
		c.usual = min(c.before, c.last)
	default:
		c.usual = min(c.usual, c.last)
	}
}

// rest is how long a watcher of a run waits after an update, at the least the interval, one of so many watchers. An update that took longer
// than usual, because the machine has more to do or stands still, says little about the next one: the rest after it is as long as usual,
// or stallRest. Where two of them took that long, half of the time at the least is left to the run.
func (c cost) rest(interval time.Duration, watchers int) time.Duration {
	all := float64(watchers)
	within := func(took time.Duration) time.Duration { return time.Duration(float64(took) * all / watchShare) }
	longest := max(within(c.usual), stallRest, time.Duration(all)*min(c.last, c.before))
	return max(interval, min(within(c.last), longest))
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
