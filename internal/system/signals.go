package system

import (
	"context"
	"os"
	"os/signal"
)

// NotifyContext is signal.NotifyContext without the signals that were ignored when the process
// started, as nohup and a shell's background jobs ask: they stay ignored.
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
