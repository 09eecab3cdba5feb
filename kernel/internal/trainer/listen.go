package trainer

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
)

// listen makes a request, which may take as long as it likes while the process answers. One that hangs or was stopped is given up: hangs
// says so, with an error that says what can be done; so is one that a second interrupt does not wait for. A step or run is paused should
// the process go on after all.
func (h *Link) listen(ctx context.Context, client *session.Client, method string, params, result any) (hangs bool, err error) {
	working, giveUp := context.WithCancel(ctx)
	defer giveUp()
	answer := result
	if result != nil { // one that comes after it was given up finds nobody
		answer = reflect.New(reflect.TypeOf(result).Elem()).Interface()
	}
	ended := make(chan error, 1)
	go func() { ended <- client.Call(working, method, params, answer) }()
	var silent <-chan time.Duration
	if last := h.keeper.Last(); last != nil && last.client == client {
		silent = last.heartbeat.Listen(working)
	}
	select {
	case err := <-ended:
		if err == nil && result != nil {
			reflect.ValueOf(result).Elem().Set(reflect.ValueOf(answer).Elem())
		}
		return false, err
	case silence := <-silent:
		return true, h.hung(silence)
	case <-process.ForceInterrupt(ctx):
		return true, fault.New(fault.Interrupted, "ask for its status later",
			"interrupted: the training process was told to pause, and has not yet")
	}
}

// hung says that the process does not answer.
func (h *Link) hung(silence time.Duration) error {
	pid := h.ID()
	how, remedy := "", "wait, if the machine is busy"
	if process.Stopped(pid) {
		how, remedy = " (it was stopped)", fmt.Sprintf("kill -CONT %d lets it continue", pid)
	}
	remedy += fmt.Sprintf("; kill -9 %d ends it: the next verb starts another, and open continues its sessions from their last "+
		"checkpoints", pid)
	slog.Warn("the training process does not answer", "process", pid, "silence", silence)
	return fault.New(fault.Unavailable, remedy, "the training process %d has not answered for %s%s", pid, silence, how)
}
