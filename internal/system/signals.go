package system

import (
	"context"
	"os"
	"os/signal"
)

// NotifyContext is like signal.NotifyContext, except for signals that were
// ignored when the process started, as nohup and background jobs of a shell ask
// for. These stay ignored.
func NotifyContext(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	heeded := Heeded(signals...)
	if len(heeded) == 0 { // signal.Notify would take that for all
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, heeded...)
}

// Heeded returns the signals that are not ignored.
func Heeded(signals ...os.Signal) (list []os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}
