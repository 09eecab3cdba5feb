package jupyter

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet/fault"
)

// Sockets in the file system are their owner's alone, and gone with the server.
func TestIPCSocketsArePrivate(t *testing.T) {
	c := connections(t)["ipc"]
	server, _ := pair(t, c)
	var paths []string
	for _, port := range []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort} {
		_, path := c.endpoint(port)
		paths = append(paths, path)
		info, err := os.Stat(path)
		if err != nil || info.Mode() != os.ModeSocket|0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if _, err := Listen(c, Options{}); !fault.Is(err, fault.Busy) {
		t.Errorf("a second kernel of the same file: %v", err)
	}
	server.Close()
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// What stands in a socket's place is removed only where it is the socket of a process that has gone.
func TestOnlyDeadSocketsAreRemoved(t *testing.T) {
	c := NewLocalConnection(filepath.Join(t.TempDir(), "k"))
	_, path := c.endpoint(c.ControlPort)
	if err := os.WriteFile(path, []byte("a letter"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(c, Options{}); !fault.Is(err, fault.Request) {
		t.Errorf("in the place of a file: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a letter" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	server, err := Listen(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
}
