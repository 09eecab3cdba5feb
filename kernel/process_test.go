package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
)

// withoutGo is set for a kernel process that is to run no Go cells.
const withoutGo = "FSNET_TEST_WITHOUT_GO"

// newProcessLab starts a kernel as a process of its own, whose sockets, files and memory can be looked at from outside.
func newProcessLab(t *testing.T, environment ...string) (l *lab, pid int) {
	t.Helper()
	cmd := exec.Command(testBinary())
	cmd.Env = append(os.Environ(), environment...)
	return newProcessLabBy(t, cmd, t.TempDir())
}

// newProcessLabBy is newProcessLab by a command of the test binary, whose connection file is in a directory of its user.
func newProcessLabBy(t *testing.T, cmd *exec.Cmd, dir string) (l *lab, pid int) {
	t.Helper()
	connection, err := jupyter.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "kernel-0123-abcd.json")
	if err := connection.Write(file); err != nil {
		t.Fatal(err)
	}
	if by := cmd.SysProcAttr; by != nil && by.Credential != nil {
		if err := os.Chown(file, int(by.Credential.Uid), int(by.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Args = append(cmd.Args, "kernel", file)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l = &lab{T: t, connection: connection, kernel: &Kernel{}, log: log.Name()}
	l.connect()
	t.Cleanup(func() {
		if _, err := l.front.StartControl("shutdown_request", jupyter.Shutdown{}); err != nil {
			cmd.Process.Kill() //nolint:errcheck // it has ended already
		}
		late := time.AfterFunc(limit, func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended already
		defer late.Stop()
		cmd.Wait() //nolint:errcheck // it may have been killed
	})
	return l, cmd.Process.Pid
}
