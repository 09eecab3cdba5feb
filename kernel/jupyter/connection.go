package jupyter

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"fsnetlab/fsnet/errs"
)

// Connection says where a kernel listens and how its messages are signed.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // with ipc, the prefix of the sockets' paths
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	HeartbeatPort   int    `json:"hb_port"`
	Key             string `json:"key"`              // "" leaves messages unsigned
	SignatureScheme string `json:"signature_scheme"` // "" means hmac-sha256
	KernelName      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads a connection file. Errors are of kind Request and name
// the file and the entry.
func ReadConnection(path string) (Connection, error) {
	var c Connection
	const remedy = "Jupyter writes this file when it starts a kernel: choose FsNet (Go) in a notebook, or jupyter console --kernel fsnet"
	text, err := os.ReadFile(path)
	if err != nil {
		return c, errs.Wrap(err, errs.Request, remedy, "the connection file cannot be read")
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, errs.Wrap(err, errs.Request, remedy, "the connection file %s is not JSON", path)
	}
	if err := c.check(); err != nil {
		return c, errs.Wrap(err, errs.Request, remedy, "the connection file %s", path)
	}
	return c, nil
}

// check returns an error that names the first entry that the kernel can't use.
// It returns nil if there is none.
func (c *Connection) check() error {
	switch {
	case c.Transport != "tcp" && c.Transport != "ipc":
		return fmt.Errorf("transport %q is neither tcp nor ipc", c.Transport)
	case c.IP == "":
		return fmt.Errorf("ip is empty")
	case c.Key != "" && c.SignatureScheme != "" && c.SignatureScheme != "hmac-sha256":
		return fmt.Errorf("signature_scheme %q is not hmac-sha256", c.SignatureScheme)
	}
	for _, port := range []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort} {
		if port < 1 || port > 65535 {
			return fmt.Errorf("port %d is not from 1 to 65535", port)
		}
	}
	return nil
}

// NewLocalConnection returns a connection over Unix sockets. Their paths start
// with prefix, and draws a fresh key. The prefix should lie in a private
// directory.
func NewLocalConnection(prefix string) Connection {
	return Connection{
		Transport: "ipc", IP: prefix, ShellPort: 1, ControlPort: 2, IOPubPort: 3, StdinPort: 4, HeartbeatPort: 5,
		Key: newKey(), SignatureScheme: "hmac-sha256",
	}
}

// NewConnection returns a connection over local TCP ports that were free a
// moment ago, and draws a fresh key.
func NewConnection() (Connection, error) {
	c := Connection{Transport: "tcp", IP: "127.0.0.1", Key: newKey(), SignatureScheme: "hmac-sha256"}
	for _, port := range []*int{&c.ShellPort, &c.ControlPort, &c.IOPubPort, &c.StdinPort, &c.HeartbeatPort} {
		l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			return c, errs.Wrap(err, errs.Failed, "", "no free port")
		}
		defer l.Close() // all five stay open until the end, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// newKey returns 32 random bytes in hexadecimal.
func newKey() string {
	var key [32]byte
	rand.Read(key[:])
	return hex.EncodeToString(key[:])
}

// Write writes the connection file, readable by its owner only.
func (c Connection) Write(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return errs.Wrap(err, errs.Failed, "make "+filepath.Dir(path)+" writable", "the connection file cannot be written")
	}
	return nil
}

// endpoint returns the network and address of a port.
func (c Connection) endpoint(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + strconv.Itoa(port)
	}
	host := c.IP
	if host == "*" {
		host = "0.0.0.0"
	}
	return "tcp", net.JoinHostPort(host, strconv.Itoa(port))
}
