package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

func testBinary() string { return os.Args[0] }

// A kernel that is killed takes its children along, what its cells have left, and a gopls that does not end with its input. The next one
// removes its directory.
func TestAKilledKernelLeavesNothingForLong(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(testBinary())
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	l, pid := newProcessLab(t, cmd, t.TempDir())
	l.OK(openLong)
	var left, kept int
	withGo := l.Run("%%\nfmt.Println(1)").Status == "ok"
	if withGo && process.Visible() {
		left, kept = l.leave(""), l.leave("FSNET_KEEP=1")
	}
	children := descendantsOf(t, pid)
	if len(children) == 0 || (withGo && len(children) < 4) { // the host, GoNB and its watch; perhaps gopls
		t.Fatalf("the kernel has the children %v", children)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Wait() //nolint:errcheck // killed
	for _, child := range children {
		if child != kept {
			l.gone("a child", child)
		}
	}
	if kept != 0 && (alive(left) || !alive(kept)) {
		t.Errorf("what a cell has left lives: %t; what was to be kept: %t", alive(left), alive(kept))
	}
	newLab(t)
	for _, pattern := range []string{filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), socketPrefix), filepath.Join(os.TempDir(), socketPrefix)} {
		if left, err := filepath.Glob(pattern + itoa(pid) + "-*"); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// childrenOf lists the processes that a process has started.
func childrenOf(t testing.TB, parent int) []int {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(found) == 0 {
		t.Skip("NOT TESTED: there is no /proc here")
	}
	var list []int
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// pid (name) state parent …
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == itoa(parent) {
			list = append(list, atoi(t, filepath.Base(filepath.Dir(path))))
		}
	}
	return list
}

func descendantsOf(t testing.TB, parent int) []int {
	t.Helper()
	list := childrenOf(t, parent)
	for _, child := range list {
		list = append(list, descendantsOf(t, child)...)
	}
	return list
}

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
	l.OK(openShort + "\n%fsnet step 9\n%fsnet set lambda=0.5")
	l.shutDown()

	l = newKeepingLab(t)
	l.Fails("%fsnet status leukemia", "is not open, but its checkpoints are there", "open leukemia continues its run")
	if shown := l.OK("%fsnet open leukemia").Texts()[0]; !strings.Contains(shown, "step 9 ") ||
		!strings.Contains(shown, "continued at step 9 from ") {
		t.Errorf("%q", shown)
	}
	l.Fails(openShort+" k=4", "k is 3, not 4", "replace=true")
	other := newKeepingLab(t) // a second notebook in the same directory
	other.Fails("%fsnet open leukemia", "is open elsewhere", "process ", "read_only=true")
	if shown := other.OK("%fsnet open leukemia read_only=true").Texts()[0]; !strings.Contains(shown, "read-only") {
		t.Errorf("%q", shown)
	}
	other.Fails("%fsnet step leukemia", "read-only")
	other.OK("%fsnet matrix leukemia\n%fsnet fork leukemia mine step=5\n%fsnet step mine 1")
	l.shutDown()
	l = newKeepingLab(t)
	if shown := l.OK(openShort + " replace=true").Texts()[0]; !strings.Contains(shown, "step 0 ") {
		t.Errorf("%q", shown)
	}
}

// A host that is killed is explained, and its sessions are taken up from their last checkpoints.
func TestSessionsOutliveTheirKilledHost(t *testing.T) {
	t.Chdir(t.TempDir())
	l := newKeepingLab(t)
	l.OK(openLong + "\n%fsnet step 9\n%fsnet status")
	for begun := time.Now(); ; time.Sleep(time.Millisecond) { // the first checkpoint is written beside the verbs
		if files, err := filepath.Glob(filepath.Join(".fsnet", "runs", "leukemia", "*.safetensors")); err != nil || len(files) > 0 {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("no checkpoint was written")
		}
	}
	running := l.Begin("%fsnet run")
	l.Until(running, fronttest.Of("display_data"))
	if err := syscall.Kill(l.hostID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.HasFailed("the run", l.Finish(running), "the training process ended (signal: killed)",
		"kept up to their last checkpoints: leukemia", "open continues a session")
	if shown := l.OK("%fsnet open leukemia\n%fsnet step 1").Texts(); !strings.Contains(shown[0], "continued at step ") {
		t.Errorf("%q", shown)
	}
}

// shutDown ends the kernel as a front end does, and waits for it.
func (l *lab) shutDown() {
	l.Helper()
	l.AskControl("shutdown_request", jupyter.Shutdown{})
	l.awaitEnd()
}
