package host_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
)

// Only the owner can use the socket, and it is removed at the end.
func TestListen_PrivateSocket(t *testing.T) {
	path := socketPath(t)
	listener, err := host.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

// A directory that is open to others, a path that isn't a socket and a socket
// in use are rejected, and no file is touched.
func TestListen_Rejects(t *testing.T) {
	directory := filepath.Dir(socketPath(t))
	in := func(name string) string { return filepath.Join(directory, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(in("open"), 0o700))
	must(os.Chmod(in("open"), 0o750)) // whatever the umask
	must(os.WriteFile(in("file"), []byte("precious"), 0o600))
	must(os.Symlink(directory, in("link")))
	taken, err := host.Listen(in("taken"))
	must(err)
	defer taken.Close()

	for _, c := range []struct {
		name, path string
		kind       errs.Kind
		words      string
	}{
		{"directory open to others", in("open/s"), errs.Request, "open to others (mode 0750)"},
		{"no directory", in("none/s"), errs.Request, "does not exist"},
		{"file as directory", in("file/s"), errs.Request, "directory"},
		{"link as directory", in("link/s"), errs.Request, "is not a directory"},
		{"file in the way", in("file"), errs.Request, "not a socket"},
		{"long path", in(strings.Repeat("x", 120)), errs.Request, "bytes"},
		{"somebody listens", in("taken"), errs.Busy, "listens"},
	} {
		t.Run(c.name, func(t *testing.T) {
			listener, err := host.Listen(c.path)
			if err == nil {
				listener.Close()
				t.Fatal("no error")
			}
			if !errs.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) || errs.Of(err).Remedy == "" {
				t.Errorf("want %s, %q: %v", c.kind, c.words, err)
			}
		})
	}
	if text, err := os.ReadFile(in("file")); err != nil || string(text) != "precious" {
		t.Errorf("a file was touched: %q, %v", text, err)
	}
}

// The socket that a killed process left is replaced.
func TestListen_ReplacesDeadSocket(t *testing.T) {
	path := socketPath(t)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	listener, err := host.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
}
