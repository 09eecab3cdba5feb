// Command fsnet selects features with FsNet, on the command line and as a
// Jupyter kernel whose trainings stay alive between cells. Start reading with
// newRootCommand: it lists the commands. Each command has a file.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/magic"
)

// main runs a command, and exits with the status of its error
// ([errs.ExitStatus]). Tests run it, too, through TestMain.
func main() {
	log := slog.LevelWarn
	wrong := log.UnmarshalText([]byte(cmp.Or(os.Getenv("FSNET_LOG"), "warn")))
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: log})))
	if wrong != nil {
		slog.Warn("FSNET_LOG is not one of debug, info, warn, error", "value", os.Getenv("FSNET_LOG"))
	}

	ctx, stop := system.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // the first signal cancels the context, the second one ends the process
		<-ctx.Done()
		stop()
	}()

	command, err := newRootCommand().ExecuteContextC(ctx)
	if err != nil {
		message := errorMessage(command.Flags(), err)
		if os.Getenv(magic.ErrorsVariable) != "" { // a notebook, whose lines have keys instead of options
			if text, failed := json.Marshal(errs.Of(err)); failed == nil {
				message = string(text)
			}
		}
		fmt.Fprintln(os.Stderr, "fsnet: "+message)
	}
	os.Exit(errs.ExitStatus(err))
}
