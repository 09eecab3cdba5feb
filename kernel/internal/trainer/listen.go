package trainer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
)

// repeatedSilence is how long where the last question was left unanswered, too.
const repeatedSilence = time.Second

// listen does a verb, which may take as long as it likes while the process answers. One that hangs or was stopped is given up: hangs says
// so, with an error that says what can be done. A step or run is paused should the process go on after all.
func listen[T any](ctx context.Context, h *Link, client *session.Client, verb func(context.Context, *session.Client) (T, error)) (value T, hangs bool, err error) {
	type result struct {
		value T
		err   error
	}
	working, giveUp := context.WithCancel(ctx)
	defer giveUp()
	ended := make(chan result, 1)
	go func() {
		value, err := verb(working, client)
		ended <- result{value, err}
	}()
	for {
		pause, silence := h.patience()
		timer := time.NewTimer(pause)
		select {
		case r := <-ended:
			timer.Stop()
			return r.value, false, r.err
		case <-ctx.Done(): // the verb knows what to do about that
			timer.Stop()
			r := <-ended
			return r.value, false, r.err
		case <-timer.C:
		}
		answered := make(chan error, 1)
		go func() { answered <- Ping(ctx, client, silence) }()
		select {
		case r := <-ended:
			return r.value, false, r.err
		case err := <-answered:
			if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				h.hears(false)
				return value, true, h.hung(silence)
			}
			h.hears(true) // or the connection has ended, which the verb says
		}
	}
}

// Ping asks a process whether it answers at all, which takes it no time, whatever its sessions do. An error that is
// context.DeadlineExceeded says that it has not within the limit.
func Ping(ctx context.Context, client *session.Client, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := client.Call(ctx, "ping", struct{}{}, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// patience is when to ask a process that works on a verb whether it answers, and for how long to wait for that.
func (h *Link) patience() (pause, silence time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent {
		return 0, min(h.silence, repeatedSilence)
	}
	return h.silence / 6, h.silence
}

// hears remembers whether the process answered when it was asked last.
func (h *Link) hears(answers bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = !answers
}

// hung says that the process does not answer.
func (h *Link) hung(silence time.Duration) error {
	pid := h.ID()
	how, remedy := "", "wait where the machine is busy"
	if process.Stopped(pid) {
		how, remedy = " (it was stopped)", fmt.Sprintf("kill -CONT %d lets it go on", pid)
	}
	remedy += fmt.Sprintf("; kill -9 %d ends it: the next verb starts another, and open takes its sessions up at their last checkpoints", pid)
	return fault.New(fault.Unavailable, remedy, "the training process %d has not answered for %s%s", pid, silence, how)
}
