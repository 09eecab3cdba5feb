package kernel

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

func testBinary() string { return os.Args[0] }

func TestShutdownLeavesNothing(t *testing.T) {
	for _, restart := range []bool{false, true} {
		l := newLab(t)
		l.ok(openLong)
		host, directory := l.hostID(), l.kernel.directory.Path
		running := l.begin("%fsnet run")
		if err := running.Until(l.context(), isDisplay); err != nil {
			t.Fatal(err)
		}
		a := l.askControl("shutdown_request", jupyter.Shutdown{Restart: restart})
		var reply jupyter.Shutdown
		if err := a.Reply.Decode(&reply); err != nil || reply.Restart != restart {
			t.Errorf("%s", a.Reply.Content)
		}
		l.awaitEnd()
		l.gone("the host", host)
		if _, err := os.Stat(directory); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", directory, err)
		}
		if _, err := jupyter.Dial(t.Context(), l.connection); err == nil {
			t.Error("somebody still listens")
		}
	}
}

// A kernel that is killed takes its host along, and the next one removes its directory.
func TestAKilledKernelLeavesNothingForLong(t *testing.T) {
	connection, err := jupyter.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kernel-1.json")
	if err := connection.Write(file); err != nil {
		t.Fatal(err)
	}
	// A gopls that does not end with its input.
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd := exec.Command(testBinary(), "kernel", file)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &lab{T: t, connection: connection, kernel: &Kernel{}}
	defer cmd.Process.Kill() //nolint:errcheck // it was killed
	l.connect()
	l.ok(openLong)
	withGo := l.run("%%\nfmt.Println(1)").reply.Status == "ok"
	children := descendantsOf(t, cmd.Process.Pid)
	if len(children) == 0 || (withGo && len(children) < 4) { // the host, GoNB and its watch; perhaps gopls
		t.Fatalf("the kernel has the children %v", children)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // killed
	for _, pid := range children {
		l.gone("a child", pid)
	}
	newLab(t)
	for _, pattern := range []string{filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), socketPrefix), filepath.Join(os.TempDir(), socketPrefix)} {
		if left, err := filepath.Glob(pattern + strings.TrimSpace(itoa(cmd.Process.Pid)) + "-*"); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// childrenOf lists the processes that a process has started.
func childrenOf(t *testing.T, parent int) []int {
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

func descendantsOf(t *testing.T, parent int) []int {
	t.Helper()
	list := childrenOf(t, parent)
	for _, child := range list {
		list = append(list, descendantsOf(t, child)...)
	}
	return list
}

func TestEndOfTheContextEndsTheKernel(t *testing.T) {
	connection, err := jupyter.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kernel-2.json")
	if err := connection.Write(file); err != nil {
		t.Fatal(err)
	}
	k, err := New(Options{ConnectionFile: file, NoGo: true, Host: []string{testBinary(), "host"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Error("it does not end")
	}
}

func TestConnectionFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty":    "",
		"text":     "hello",
		"no ports": `{"transport":"tcp","ip":"127.0.0.1","key":"k","signature_scheme":"hmac-sha256"}`,
		"scheme": `{"transport":"tcp","ip":"127.0.0.1","key":"k","signature_scheme":"hmac-md5",` +
			`"shell_port":1,"control_port":1,"iopub_port":1,"stdin_port":1,"hb_port":1}`,
		"transport": `{"transport":"pigeon","ip":"127.0.0.1"}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := New(Options{ConnectionFile: path})
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{ConnectionFile: filepath.Join(dir, "absent")}); !errs.Is(err, errs.Request) {
		t.Errorf("an absent file: %v", err)
	}
}

func TestSocketDirectory(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("/tmp", "x") //nolint:usetesting // a short path, which t.TempDir need not be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	left := filepath.Join(short, socketPrefix+"999999999-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", long)
	t.Setenv("TMPDIR", short)
	dir, err := process.NewSocketDirectory(socketPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Remove() //nolint:errcheck // the directory above goes, too
	info, err := os.Stat(dir.Path)
	if err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(dir.Path) != short {
		t.Errorf("%s, %v, %v", dir.Path, info, err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("what a dead kernel left is still there")
	}
	other, err := process.NewSocketDirectory(socketPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Remove() //nolint:errcheck // as above
	if _, err := os.Stat(dir.Path); err != nil {
		t.Error("what a living kernel uses is gone:", err)
	}
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
