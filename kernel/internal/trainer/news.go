package trainer

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// news is how processes ended, as far as users have to know it. Each end is told once: to the verb that waited, or else to the next one.
type news struct {
	last *session.Client // whose process was the last to end
	how  *fault.Error    // and what stopped with it

	noticed *session.Client // of whose end the user knows, or will from pending
	pending *fault.Error    // for the next verb; nil is nothing
}

// explain turns the loss of the connection into what stopped with it; died reports whether that is what it was.
func (h *Link) explain(c *session.Client, err error) (died bool, why error) {
	if !fault.Is(err, fault.Unavailable) {
		return false, err
	}
	select { // the calls that wait are told a moment before
	case <-c.Ended():
	case <-time.After(100 * time.Millisecond):
		return false, err // the verb's own, such as a device that is not there
	}
	if h.keeper.Ended() {
		return false, fault.New(fault.Interrupted, "", "the kernel is shutting down")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return true, h.death(c)
}

// TakeNotice is how the process ended, where sessions stopped with it while nothing was asked of it: once, to the next verb. Whoever does not
// pass it on gives it back ([Link.KeepNotice]).
func (h *Link) TakeNotice() error {
	h.remember()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.news.pending == nil {
		return nil
	}
	err := h.news.pending
	h.news.pending = nil
	return err
}

// KeepNotice keeps what TakeNotice has given for the next verb.
func (h *Link) KeepNotice(err error) {
	if err == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.merge(fault.Of(err), h.news.pending)
}

// merge keeps an end, and one after it, for the next verb. The caller holds the lock.
func (h *Link) merge(first, second *fault.Error) {
	switch {
	case first == nil:
		first = second
	case second != nil:
		first = fault.New(second.Kind, second.Remedy, "%s; %s", first.What, second.What)
	}
	h.news.pending = first
}

// remember keeps how a process ended that is gone, until somebody is told.
func (h *Link) remember() {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := h.keeper.Last()
	if last == nil || h.news.noticed == last.client || h.keeper.Ended() || len(h.sessions) == 0 {
		return
	}
	select {
	case <-last.Done():
		h.news.noticed = last.client
		h.merge(h.news.pending, h.death(last.client))
	default:
	}
}

// noticed: the user has read how the process behind a connection ended.
func (h *Link) noticed(c *session.Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last := h.keeper.Last(); last != nil && last.client == c {
		h.news.noticed = c
	}
	if h.news.last == c && h.news.pending == h.news.how {
		h.news.pending = nil
	}
}

// death is how the process behind a connection ended, and what stopped with it. The caller holds the lock.
func (h *Link) death(c *session.Client) *fault.Error {
	if h.news.last == c {
		return h.news.how
	}
	const remedy = "the next verb starts another; open continues a session"
	last := h.keeper.Last()
	if last == nil || last.client != c { // an earlier one, of which somebody was told
		return fault.New(fault.Unavailable, remedy, "the training process ended")
	}
	how := ""
	select {
	case <-last.process.Done():
		how = last.process.How()
	case <-time.After(time.Second):
	}
	stopped := "no session was open"
	if names := slices.Sorted(maps.Keys(h.sessions)); len(names) > 0 {
		stopped = "stopped with it, and kept up to their last checkpoints: " + strings.Join(names, ", ")
	}
	h.news.last, h.news.how = c, fault.New(fault.Unavailable, remedy, "the training process ended%s; %s", how, stopped)
	slog.Warn("the training process ended", "process", last.process.ID(), "how", how, "sessions", len(h.sessions))
	return h.news.how
}
