// Command fsnet selects features with FsNet: on the command line, and as a Jupyter kernel in which a training is a live object.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"fsnetlab/fsnet/errs"
)

// Every test leads to main, since TestMain does.
func main() {
	log := slog.LevelWarn
	wrong := log.UnmarshalText([]byte(cmp.Or(os.Getenv("FSNET_LOG"), "warn")))
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: log})))
	if wrong != nil {
		slog.Warn("FSNET_LOG is none of debug, info, warn, error", "value", os.Getenv("FSNET_LOG"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // the first signal asks, the second one is obeyed at once
		<-ctx.Done()
		stop()
	}()
	command, err := newRootCommand().ExecuteContextC(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fsnet: "+errorMessage(command.Flags(), err))
	}
	os.Exit(errs.ExitStatus(err))
}
