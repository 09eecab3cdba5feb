package repl

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/tests/kit/testhost"
)

// Whoever leaves while the training process hangs is told what becomes of the sessions, and leaves.
func TestLeavingAProcessThatHangs(t *testing.T) {
	workIn(t)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, err := start(options(nil, null, null))
	if err != nil {
		t.Fatal(err)
	}
	defer r.end()
	if lines := r.closeAll(t.Context(), false); len(lines) > 0 {
		t.Errorf("without a process it says %q", lines)
	}
	if err := r.execute(t.Context(), openShort); err != nil {
		t.Fatal(err)
	}
	pid := r.link.ID()
	if err := testhost.Halt(pid); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT) //nolint:errcheck // it goes on already
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if lines := r.closeAll(ctx, false); len(lines) != 1 ||
		!strings.Contains(lines[0], "does not answer") || !strings.Contains(lines[0], "last checkpoints") {
		t.Errorf("it says %q", lines)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if lines := r.closeAll(t.Context(), false); len(lines) != 1 || !strings.Contains(lines[0], "kept in") {
		t.Errorf("once it answers it says %q", lines)
	}
}
