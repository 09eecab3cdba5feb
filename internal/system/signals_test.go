package system

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// A signal that is ignored, as under nohup, stays ignored.
func TestHeeded_IgnoredSignals(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if got := Heeded(syscall.SIGTERM, syscall.SIGHUP); !slices.Equal(got, []os.Signal{syscall.SIGTERM}) {
		t.Error(got)
	}
	ctx, stop := NotifyContext(t.Context(), syscall.SIGHUP)
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if !signal.Ignored(syscall.SIGHUP) || ctx.Err() != nil {
		t.Error("it is not ignored any more")
	}
}
