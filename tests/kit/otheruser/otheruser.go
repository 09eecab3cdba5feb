// Package otheruser runs the test binary as another user of this machine. Tests
// often run as root, who may read everything, so only another user notices what
// is closed.
//
// # Basics
//
// Start reading with [Unprivileged]. It is a process to which file modes apply.
// [Stranger] runs as a user other than this one. Both run the test binary with
// arguments that its TestMain understands.
//
// # Caveats
//
// Only root can become another user. Without root, Unprivileged runs as this
// user, and Stranger skips the test with a line.
package otheruser

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody is the number of a user who owns nothing.
const nobody = 65534

// Directory creates a directory that every user may list and enter, and removes
// it with the test. Its path is short, for sockets.
func Directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "o") //nolint:usetesting // the parents of t.TempDir are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Unprivileged returns a command of the test binary for a user to whom file
// modes apply, with a separate home and temporary directory.
func Unprivileged(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, home := os.Args[0], Directory(t)
	if os.Geteuid() == 0 {
		program = public(t)
		if err := os.Chown(home, nobody, nobody); err != nil {
			t.Skip("NOT TESTED: no file can be given to another user here: ", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = os.Environ()
	for _, name := range []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
		"XDG_DATA_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+home)
	}
	cmd.Dir = home
	if os.Geteuid() == 0 {
		become(t, cmd)
	}
	return cmd
}

// Stranger is Unprivileged as a user other than this one. It skips the test if
// that is impossible.
func Stranger(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root can become another user, who would be kept out")
	}
	return Unprivileged(t, args...)
}

// become makes a command run as another user. It skips the test if root can't
// do that here.
func become(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	probe := exec.CommandContext(t.Context(), "/bin/sh", "-c", "exit 0")
	probe.SysProcAttr = cmd.SysProcAttr
	if err := probe.Run(); err != nil {
		t.Skip("NOT TESTED: this root cannot become another user: ", err)
	}
}

// public returns a copy of the test binary that every user may start.
func public(t *testing.T) string {
	t.Helper()
	path := filepath.Join(Directory(t), filepath.Base(os.Args[0]))
	if os.Link(os.Args[0], path) == nil && os.Chmod(path, 0o755) == nil {
		return path
	}
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil { // before starting it
		t.Fatal(err)
	}
	return path
}
