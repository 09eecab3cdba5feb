package jupyter

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
)

const patience = time.Minute

// pair is a server and a client of it.
func pair(t *testing.T, c Connection) (*Server, *Client) {
	t.Helper()
	server, err := Listen(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return server, client
}

func connections(t *testing.T) map[string]Connection {
	tcp, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Connection{"tcp": tcp, "ipc": NewLocalConnection(filepath.Join(t.TempDir(), "k"))}
}

func next(t *testing.T, from <-chan Message) Message {
	t.Helper()
	select {
	case m := <-from:
		return m
	case <-time.After(patience):
		t.Fatal("no message")
		panic("unreachable")
	}
}

// Every socket sends and receives, over TCP and over IPC.
func TestServer_SocketsAndTransports(t *testing.T) {
	for name, c := range connections(t) {
		t.Run(name, func(t *testing.T) {
			server, client := pair(t, c)
			for _, socket := range []struct {
				name   string
				send   func(Message) error
				router *Router
				back   <-chan Message
			}{
				{"shell", client.SendShell, server.Shell, client.Shell()},
				{"control", client.SendControl, server.Control, client.Control()},
				{"stdin", client.SendStdin, server.Stdin, client.Stdin()},
			} {
				request := client.Request(socket.name, map[string]int{"x": 1})
				if err := socket.send(request); err != nil {
					t.Fatal(err)
				}
				m := next(t, socket.router.Messages())
				if m.Header.ID != request.Header.ID {
					t.Errorf("%s received %+v", socket.name, m)
				}
				socket.router.Send(m.Reply("server", "reply", nil))
				if back := next(t, socket.back); back.Header.Type != "reply" || back.ParentID() != request.Header.ID {
					t.Errorf("%s answered %+v", socket.name, back)
				}
			}
			if m := next(t, client.IOPub()); m.Header.Type != "iopub_welcome" {
				t.Errorf("published was %+v, want the welcome", m)
			}
			server.IOPub.Publish(NewMessage("server", "stream", Stream{"stdout", "hello"}))
			if m := next(t, client.IOPub()); string(m.Identities[0]) != "stream" {
				t.Errorf("the topic is %q", m.Identities)
			}
			if err := client.Ping(); err != nil {
				t.Error("heartbeat:", err)
			}
		})
	}
}

// Clients of one session share an identity: each gets its own answers, even
// after another has gone.
func TestServer_SharedIdentities(t *testing.T) {
	server, first := pair(t, connections(t)["ipc"])
	second, err := dialAs(t.Context(), server.connection, first.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	exchange := func(c *Client) {
		t.Helper()
		request := c.Request("request", nil)
		if err := c.SendShell(request); err != nil {
			t.Fatal(err)
		}
		m := next(t, server.Shell.Messages())
		server.Shell.Send(m.Reply("server", "reply", nil))
		if reply := next(t, c.Shell()); reply.ParentID() != request.Header.ID {
			t.Errorf("answered was %s, want %s", reply.ParentID(), request.Header.ID)
		}
		// A question on another socket reaches the session.
		server.Stdin.Send(m.Reply("server", "input_request", nil))
	}
	exchange(first)
	exchange(second)
	exchange(first)
	second.Close()
	exchange(first)
	if m := next(t, first.Stdin()); m.Header.Type != "input_request" {
		t.Errorf("asked was %+v", m)
	}
}

// A peer that is silent, sends nonsense or announces a huge frame harms neither
// the server nor another peer.
func TestServer_BrokenPeers(t *testing.T) {
	c := connections(t)["tcp"]
	server, client := pair(t, c)
	greeting := make([]byte, 64)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	ready := func(body string) []byte { return append([]byte{4, byte(len(body))}, body...) }
	for name, bytes := range map[string][]byte{
		"nothing":                 nil,
		"a web browser":           []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + string(make([]byte, 64))),
		"an empty command":        append(greeting[:64:64], 4, 0),
		"metadata cut short":      append(greeting[:64:64], ready("\x05READY\x0bSocket-Type\x00\x00")...),
		"metadata beyond its end": append(greeting[:64:64], ready("\x05READY\xff")...),
		"an unknown socket":       append(greeting[:64:64], ready("\x05READY\x0bSocket-Type\x00\x00\x00\x03FOO")...),
		"a huge frame": append(append(greeting[:64:64], ready("\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER")...),
			2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
	} {
		t.Run(name, func(t *testing.T) {
			network, address := c.endpoint(c.ShellPort)
			conn, err := net.Dial(network, address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(bytes); err != nil {
				t.Fatal(err)
			}
			if bytes != nil {
				conn.SetReadDeadline(time.Now().Add(patience))
				if _, err := io.Copy(io.Discard, conn); err != nil {
					if late := net.Error(nil); errors.As(err, &late) && late.Timeout() {
						t.Error("it was not shown the door")
					}
				}
			}
			m := client.Request("kernel_info_request", nil)
			if err := client.SendShell(m); err != nil {
				t.Fatal(err)
			}
			next(t, server.Shell.Messages())
		})
	}
}

func ExampleMessage_Answer() {
	request := NewMessage("client", "kernel_info_request", struct{}{})
	status := request.Answer("kernel", "status", Status{"busy"})
	fmt.Println(status.Header.Type, string(status.Content), status.ParentID() == request.Header.ID)
	// Output: status {"execution_state":"busy"} true
}

// Sockets in the file system are accessible to their owner only, and removed
// with the server.
func TestServer_IPCSocketsArePrivate(t *testing.T) {
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
	if _, err := Listen(c, Options{}); !errs.Is(err, errs.Failed) {
		t.Errorf("a second kernel of the same file: %v", err)
	}
	server.Close()
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// counted counts what reaches the socket.
type counted struct {
	net.Conn
	writes atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A message is one write, however many frames and buffers it has: written frame by frame, the other end's acknowledgements set the pace
// of a widget, 40 ms each.
func TestServer_OneWritePerMessage(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make(chan *link, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		l, err := openLink(conn, routerSocket, "")
		if err != nil {
			t.Error(err)
		}
		accepted <- l
	}()
	dialled, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn := &counted{Conn: dialled}
	client, err := openLink(conn, dealerSocket, "page")
	if err != nil {
		t.Fatal(err)
	}
	defer client.close()
	server := <-accepted
	if server == nil {
		t.FailNow()
	}
	defer server.close()
	m := NewMessage("s", "comm_msg", map[string]any{"comm_id": "c", "data": map[string]any{}})
	m.Buffers = [][]byte{make([]byte, 3), make([]byte, 20_000), {}}
	before := conn.writes.Load()
	if err := client.send(NewCodec("key").Encode(m)); err != nil {
		t.Fatal(err)
	}
	frames, err := server.receive()
	if err != nil {
		t.Fatal(err)
	}
	if n := conn.writes.Load() - before; n != 1 {
		t.Errorf("%d writes for a message of %d frames", n, len(frames))
	}
	if got, err := NewCodec("key").Decode(frames); err != nil || len(got.Buffers) != 3 || len(got.Buffers[1]) != 20_000 {
		t.Errorf("%d buffers, %v", len(got.Buffers), err)
	}
}

func numbered(n int) []byte {
	var b [32]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	return []byte(hex.EncodeToString(b[:]))
}

// The last 100 signatures are remembered, in any order, and no more.
func TestReplays_RemembersTheLast(t *testing.T) {
	h := newReplays(100)
	for n := range 1000 {
		if !h.add(numbered(n)) {
			t.Fatalf("message %d is said to have come before", n)
		}
		for back := range min(n+1, 100) {
			if h.add(numbered(n - back)) {
				t.Fatalf("after %d, message %d is said to be new", n, n-back)
			}
		}
	}
	if len(h.seen) != 100 || len(h.ring) != 100 {
		t.Errorf("%d and %d are remembered, want 100", len(h.seen), len(h.ring))
	}
	if !h.add(numbered(0)) {
		t.Error("a message long forgotten is said to have come before")
	}
}

// A recorded message that is sent again is rejected, on the same socket and on
// the others.
func TestServer_RejectsReplays(t *testing.T) {
	server, client := pair(t, connections(t)["tcp"])
	once := client.codec.Encode(client.Request("execute_request", ExecuteRequest{Code: "rm"}))
	changed := append([][]byte{}, once...)
	changed = append(changed, []byte("a buffer, which is not signed"))
	if err := client.SendFrames(once); err != nil {
		t.Fatal(err)
	}
	if m := next(t, server.Shell.Messages()); m.Header.Type != "execute_request" {
		t.Errorf("%+v", m)
	}
	for _, send := range []func() error{
		func() error { return client.shell.send(once) },
		func() error { return client.shell.send(changed) },
		func() error { return client.control.send(once) },
		func() error { return client.stdin.send(once) },
	} {
		if err := send(); err != nil {
			t.Fatal(err)
		}
	}
	for _, socket := range []struct {
		send   func(Message) error
		router *Router
	}{{client.SendShell, server.Shell}, {client.SendControl, server.Control}, {client.SendStdin, server.Stdin}} {
		other := client.Request("kernel_info_request", nil)
		if err := socket.send(other); err != nil {
			t.Fatal(err)
		}
		if m := next(t, socket.router.Messages()); m.Header.ID != other.Header.ID {
			t.Errorf("%s received it again", socket.router.name)
		}
	}
	server.refused.mu.Lock()
	defer server.refused.mu.Unlock()
	if n := server.refused.recent; n != 3 { // since the first one, which was logged
		t.Errorf("%d were refused, want 3", n)
	}
}

// Without a key nothing is signed, and nothing is rejected for its signature.
func TestServer_WithoutKey(t *testing.T) {
	c := connections(t)["tcp"]
	c.Key, c.SignatureScheme = "", ""
	log := new(strings.Builder)
	server, err := Listen(c, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	frames := client.codec.Encode(client.Request("kernel_info_request", nil))
	signed := append([][]byte{}, frames...)
	signed[1] = []byte("whatever")
	for _, f := range [][][]byte{frames, frames, signed} {
		if err := client.SendFrames(f); err != nil {
			t.Fatal(err)
		}
		m := next(t, server.Shell.Messages())
		server.Shell.Send(m.Reply("s", "kernel_info_reply", nil))
		if reply := NewCodec("").Encode(next(t, client.Shell())); len(reply[1]) != 0 {
			t.Errorf("the reply is signed with %q", reply[1])
		}
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "no key") {
		t.Errorf("the log says %q", text)
	}
}
