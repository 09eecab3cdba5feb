package kernel

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newKeepingLab is a lab whose sessions write checkpoints below the working directory, which is a fresh one.
func newKeepingLab(t *testing.T) *lab {
	t.Helper()
	t.Setenv(keepRuns, "1")
	return newLab(t)
}

// A restart of the kernel loses no session: open finds it where it stood.
func TestSessionsOutliveTheKernel(t *testing.T) {
	t.Chdir(t.TempDir())
	l := newKeepingLab(t)
	l.ok(openShort + "\n%fsnet step 9\n%fsnet set lambda=0.5")
	l.shutDown()

	l = newKeepingLab(t)
	l.fails("%fsnet status leukemia", "is not open, but its checkpoints are there", "open leukemia continues its run")
	if shown := l.ok("%fsnet open leukemia").texts()[0]; !strings.Contains(shown, "step 9 ") ||
		!strings.Contains(shown, "continued at step 9 from ") {
		t.Errorf("%q", shown)
	}
	l.fails(openShort+" k=4", "k is 3, not 4", "replace=true")
	other := newKeepingLab(t) // a second notebook in the same directory
	other.fails("%fsnet open leukemia", "is open elsewhere", "process ", "read_only=true")
	if shown := other.ok("%fsnet open leukemia read_only=true").texts()[0]; !strings.Contains(shown, "read-only") {
		t.Errorf("%q", shown)
	}
	other.fails("%fsnet step leukemia", "read-only")
	other.ok("%fsnet matrix leukemia\n%fsnet fork leukemia mine step=5\n%fsnet step mine 1")
	l.shutDown()
	l = newKeepingLab(t)
	if shown := l.ok(openShort + " replace=true").texts()[0]; !strings.Contains(shown, "step 0 ") {
		t.Errorf("%q", shown)
	}
}

// A host that is killed is explained, and its sessions are taken up from their last checkpoints.
func TestSessionsOutliveTheirKilledHost(t *testing.T) {
	t.Chdir(t.TempDir())
	l := newKeepingLab(t)
	l.ok(openLong + "\n%fsnet step 9\n%fsnet status")
	for begun := time.Now(); ; time.Sleep(time.Millisecond) { // the first checkpoint is written beside the verbs
		if files, err := filepath.Glob(filepath.Join(".fsnet", "runs", "leukemia", "*.safetensors")); err != nil || len(files) > 0 {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("no checkpoint was written")
		}
	}
	running := l.begin("%fsnet run")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(l.hostID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.failed("the run", l.finish(running), "the training process ended (signal: killed)",
		"kept up to their last checkpoints: leukemia", "open continues a session")
	if shown := l.ok("%fsnet open leukemia\n%fsnet step 1").texts(); !strings.Contains(shown[0], "continued at step ") {
		t.Errorf("%q", shown)
	}
}

// shutDown ends the kernel as a front end does, and waits for it.
func (l *lab) shutDown() {
	l.Helper()
	l.askControl("shutdown_request", map[string]any{"restart": true})
	l.awaitEnd()
}
