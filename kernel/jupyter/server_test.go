package jupyter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
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

func TestAllSocketsOverBothTransports(t *testing.T) {
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
			// The subscription arrives when it arrives: publish until it has.
			publishUntil(t, server, client)
			if err := client.Ping(); err != nil {
				t.Error("heartbeat:", err)
			}
		})
	}
}

// Clients of one session share an identity: each gets its own answers, also when another has gone.
func TestClientsThatShareAnIdentity(t *testing.T) {
	server, first := pair(t, connections(t)["ipc"])
	second, err := DialAs(t.Context(), server.connection, first.Session)
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

func publishUntil(t *testing.T, server *Server, client *Client) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for {
		select {
		case <-tick.C:
			server.IOPub.Publish(NewMessage("server", "stream", Stream{"stdout", "hello"}))
		case m := <-client.IOPub():
			if m.Header.Type == "iopub_welcome" {
				continue
			}
			if string(m.Identities[0]) != "stream" {
				t.Errorf("the topic is %q", m.Identities)
			}
			return
		case <-limit:
			t.Fatal("nothing was published")
		}
	}
}

func TestWhatIsNotSignedIsDropped(t *testing.T) {
	c := connections(t)["tcp"]
	server, client := pair(t, c)
	forged := NewCodec("not the key").Encode(client.Request("execute_request", nil))
	for _, frames := range [][][]byte{forged, {}, {{}}, {[]byte("<IDS|MSG>")}, {[]byte("a"), []byte("b")}} {
		if len(frames) == 0 {
			continue
		}
		if err := client.SendFrames(frames); err != nil {
			t.Fatal(err)
		}
	}
	good := client.Request("kernel_info_request", nil)
	if err := client.SendShell(good); err != nil {
		t.Fatal(err)
	}
	if m := next(t, server.Shell.Messages()); m.Header.ID != good.Header.ID {
		t.Errorf("got %+v", m)
	}
	if n := server.Dropped(); n != 4 {
		t.Errorf("%d were dropped, want 4", n)
	}
}

// A peer that says nothing, nonsense, or names a huge frame harms neither the server nor another peer.
func TestPeersThatBreakTheProtocol(t *testing.T) {
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

func TestManyMessagesKeepTheirOrder(t *testing.T) {
	for name, c := range connections(t) {
		t.Run(name, func(t *testing.T) {
			server, client := pair(t, c)
			publishUntil(t, server, client)
			const n = 12_000
			go func() {
				for i := range n {
					server.IOPub.Publish(NewMessage("server", "numbered", map[string]int{"i": i}))
				}
			}()
			for want := 0; want < n; {
				m := next(t, client.IOPub())
				if m.Header.Type != "numbered" {
					continue
				}
				var content struct{ I int }
				if err := m.Decode(&content); err != nil || content.I != want {
					t.Fatalf("message %d is %s, %v", want, m.Content, err)
				}
				want++
			}
		})
	}
}

func TestClosingTheServerEndsTheClient(t *testing.T) {
	c := connections(t)["ipc"]
	server, err := Listen(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := Dial(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server.Close()
	select {
	case <-client.Ended():
	case <-time.After(patience):
		t.Error("the client does not notice")
	}
	if _, err := Dial(t.Context(), c); err == nil {
		t.Error("a closed server takes connections")
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	c, err := NewConnection()
	if err != nil {
		b.Fatal(err)
	}
	server, err := Listen(c, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	client, err := Dial(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	go func() {
		for m := range server.Shell.Messages() {
			server.Shell.Send(m.Reply("s", "reply", nil))
		}
	}()
	for b.Loop() {
		if err := client.SendShell(client.Request("request", nil)); err != nil {
			b.Fatal(err)
		}
		<-client.Shell()
	}
}

func ExampleMessage_Answer() {
	request := NewMessage("client", "kernel_info_request", struct{}{})
	status := request.Answer("kernel", "status", Status{"busy"})
	fmt.Println(status.Header.Type, string(status.Content), status.ParentID() == request.Header.ID)
	// Output: status {"execution_state":"busy"} true
}
