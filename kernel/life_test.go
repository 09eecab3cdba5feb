package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fsnetlab/internal/system"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

func testBinary() string { return os.Args[0] }

// If the kernel is killed, its children end, with what its cells have started
// and a gopls that doesn't end with its input. The next kernel removes its
// directory.
func TestKernel_Killed(t *testing.T) {
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
	if kept != 0 && (system.Alive(left) || !system.Alive(kept)) {
		t.Errorf("what a cell has left lives: %t; what was to be kept: %t", system.Alive(left), system.Alive(kept))
	}
	newLab(t)
	for _, pattern := range []string{filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), socketPrefix), filepath.Join(os.TempDir(), socketPrefix)} {
		if left, err := filepath.Glob(pattern + itoa(pid) + "-*"); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// descendantsOf lists the processes that a process and its children have started.
func descendantsOf(t testing.TB, parent int) (ids []int) {
	t.Helper()
	list, err := process.List()
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	for _, p := range process.Below(list, parent, nil) {
		ids = append(ids, p.ID)
	}
	return ids
}

// shutDown ends the kernel as a front end does, and waits for it.
func (l *lab) shutDown() {
	l.Helper()
	l.AskControl("shutdown_request", jupyter.Shutdown{})
	l.awaitEnd()
}
