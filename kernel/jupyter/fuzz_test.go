package jupyter

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"

	"fsnetlab/fsnet/fault"
)

// FuzzPeer feeds whatever a peer may say to the end that listens: it must end the connection or read messages, and nothing else.
func FuzzPeer(f *testing.F) {
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	ready := string(greeting) + "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
	for _, seed := range []string{
		"", "GET / HTTP/1.1\r\n\r\n", string(greeting), string(greeting) + "\x04\x00",
		ready, ready + "\x00\x05hello", ready + "\x01\x01a\x00\x01b",
		ready + "\x02\x7f\xff\xff\xff\xff\xff\xff\xff", ready + "\x03\x00\x00\x00\x00\x00\x00\x00\x01x\x00\x00", ready + "\x04\x05\x04PING",
		string(greeting) + "\x04\x07\x05READY\xff", string(greeting) + "\x06\x00\x00\x00\x00\x00\x00\x00\x06\x05READY",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		here, there := net.Pipe()
		go func() {
			there.Write(said) //nolint:errcheck // it may be shown the door
			there.Close()
		}()
		go io.Copy(io.Discard, there) //nolint:errcheck // it ends with the pipe
		l, err := openLink(here, zmq4.Router, "", true)
		if err != nil {
			return
		}
		defer l.close()
		for {
			frames, err := l.receive()
			if err != nil {
				return
			}
			total := 0
			for _, frame := range frames {
				total += len(frame)
			}
			if total > len(said) {
				t.Fatalf("%d bytes of frames were read from %d", total, len(said))
			}
		}
	})
}

// FuzzConnection reads connection files: a good one can be listened with, a bad one is named in one line.
func FuzzConnection(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", `{"transport":"tcp","ip":"127.0.0.1","key":"k","signature_scheme":"hmac-sha256",` +
			`"shell_port":1,"control_port":1,"iopub_port":1,"stdin_port":1,"hb_port":1}`,
		`{"transport":"ipc","ip":"k","key":"","shell_port":1,"control_port":2,"iopub_port":3,"stdin_port":4,"hb_port":5}`,
		`{"shell_port":-1}`, `{"transport":"tcp","ip":"::1","key":5}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "kernel.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadConnection(path)
		if err != nil {
			if !fault.Is(err, fault.Request) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if network, address := c.endpoint(c.ShellPort); (network != "tcp" && network != "unix") || address == "" {
			t.Fatalf("%q listens at %s %s", text, network, address)
		}
	})
}
