// Command fsnet selects features with FsNet: on the command line, and as a Jupyter kernel in which a training is a live object.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"fsnetlab/fsnet/fault"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // the first signal asks, the second one is obeyed at once
		<-ctx.Done()
		stop()
	}()
	err := newRootCommand().ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fsnet: "+fault.Of(err).Error())
	}
	os.Exit(fault.ExitStatus(err))
}
