package trainer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
)

// repeatedSilence is how long where the last question was left unanswered, too.
const repeatedSilence = time.Second

// listen makes a request, which may take as long as it likes while the process answers. One that hangs or was stopped is given up: hangs
// says so, with an error that says what can be done. A step or run is paused should the process go on after all.
func (h *Link) listen(ctx context.Context, client *session.Client, method string, params, result any) (hangs bool, err error) {
	working, giveUp := context.WithCancel(ctx)
	defer giveUp()
	answer := result
	if result != nil { // one that comes after it was given up finds nobody
		answer = reflect.New(reflect.TypeOf(result).Elem()).Interface()
	}
	ended := make(chan error, 1)
	go func() { ended <- client.Call(working, method, params, answer) }()
	deliver := func(err error) (bool, error) {
		if err == nil && result != nil {
			reflect.ValueOf(result).Elem().Set(reflect.ValueOf(answer).Elem())
		}
		return false, err
	}
	for {
		pause, silence := h.patience()
		timer := time.NewTimer(pause)
		select {
		case err := <-ended:
			timer.Stop()
			return deliver(err)
		case <-ctx.Done(): // the request knows what to do about that
			timer.Stop()
			return deliver(<-ended)
		case <-timer.C:
		}
		answered := make(chan error, 1)
		go func() { answered <- Ping(ctx, client, silence) }()
		select {
		case err := <-ended:
			return deliver(err)
		case err := <-answered:
			if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				h.hears(false)
				return true, h.hung(silence)
			}
			h.hears(true) // or the connection has ended, which the request says
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
