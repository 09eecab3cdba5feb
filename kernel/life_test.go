package kernel

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
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
		if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{ConnectionFile: filepath.Join(dir, "absent")}); !fault.Is(err, fault.Request) {
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
