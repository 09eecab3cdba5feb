package jupyter

import (
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

func numbered(n int) []byte {
	var b [32]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	return []byte(hex.EncodeToString(b[:]))
}

func TestHistoryRemembersAsMuchAsItSays(t *testing.T) {
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

// What was overheard and is sent again is refused, on the socket that it came by and on the others.
func TestAReplayIsRefused(t *testing.T) {
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
	if n := server.Dropped(); n != 4 {
		t.Errorf("%d were dropped, want 4", n)
	}
}

// Without a key nothing is signed, and nothing is refused for its signature.
func TestWithoutAKey(t *testing.T) {
	c := connections(t)["tcp"]
	c.Key, c.SignatureScheme = "", ""
	log := new(lines)
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

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
