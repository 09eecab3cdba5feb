package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

const patience = time.Minute // what hangs is stopped; nothing waits for it to pass

// peer is the other end of a connection, played by a test line by line.
type peer struct {
	path     string
	listener net.Listener
	conn     net.Conn
	lines    *bufio.Reader
}

func newPeer(t testing.TB) *peer {
	t.Helper()
	directory, err := os.MkdirTemp("", "fsnet") //nolint:usetesting // t.TempDir can be longer than the path of a socket may be
	require(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(directory); err != nil {
			t.Error(err)
		}
	})
	p := &peer{path: filepath.Join(directory, "s")}
	if p.listener, err = net.Listen("unix", p.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.listener.Close() })
	return p
}

func require(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dial connects a client to the peer.
func (p *peer) dial(t testing.TB) *session.Client {
	t.Helper()
	client, err := session.Dial(context.Background(), p.path)
	require(t, err)
	t.Cleanup(client.Disconnect)
	if p.conn, err = p.listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.conn.Close() })
	require(t, p.conn.SetDeadline(time.Now().Add(patience)))
	p.lines = bufio.NewReader(p.conn)
	return client
}

// request reads the next request.
func (p *peer) request(t testing.TB) (id int64, method string) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		t.Errorf("reading a request: %v", err)
		return 0, ""
	}
	var r struct {
		JSONRPC, Method string
		ID              int64
		Params          map[string]any
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.JSONRPC != "2.0" || r.Params == nil {
		t.Errorf("request %s: %v", line, err)
	}
	return r.ID, r.Method
}

func (p *peer) send(t testing.TB, format string, args ...any) {
	if _, err := fmt.Fprintf(p.conn, format+"\n", args...); err != nil {
		t.Errorf("sending: %v", err)
	}
}

// If there is no server at the socket, or the context has ended, Dial returns
// an error with the path and a remedy.
func TestDial_NoServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	_, err := session.Dial(t.Context(), path)
	if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), path) || errs.Of(err).Remedy == "" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.Dial(ctx, newPeer(t).path); !errs.Is(err, errs.Interrupted) {
		t.Error(err)
	}
}

// If the server is slow to accept, a client waits for its turn or its context.
func TestDial_SlowToAccept(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems refuse a client at once where too many wait")
	}
	path := filepath.Join(filepath.Dir(newPeer(t).path), "few")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Listen(fd, 1))
	}
	require(t, err)
	file := os.NewFile(uintptr(fd), path)
	listener, err := net.FileListener(file)
	require(t, err)
	defer listener.Close()
	file.Close()
	for full := false; !full; {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		client, err := session.Dial(ctx, path)
		cancel()
		switch {
		case err == nil:
			defer client.Disconnect()
		case errs.Is(err, errs.Interrupted):
			full = true
		default:
			t.Fatal(err)
		}
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
		}
	}()
	client, err := session.Dial(t.Context(), path)
	require(t, err)
	client.Disconnect()
}

// Answers find their calls in any order.
func TestClient_AnswersInAnyOrder(t *testing.T) {
	const calls = 50
	p := newPeer(t)
	client := p.dial(t)
	go func() {
		ids := make([]int64, calls)
		for i := range ids {
			ids[i], _ = p.request(t)
		}
		p.send(t, `{"jsonrpc":"2.0","id":123456789,"result":{}}`)                             // nobody asked
		p.send(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`)       // of nobody
		p.send(t, `{"jsonrpc":"2.0","method":"news","params":{"x":1}}`)                       // of a later version
		p.send(t, `{"jsonrpc":"2.0","method":"update","params":"not what updates are like"}`) // of a broken one
		p.send(t, `{"jsonrpc":"2.0","method":"update","params":{"watch":99,"update":{}}}`)    // of a watch that ended
		for i := range ids {
			id := ids[calls-1-i]
			p.send(t, `{"jsonrpc":"2.0","id":%d,"result":{"step":%d,"session":"s%d"}}`, id, id, id)
		}
	}()
	var all sync.WaitGroup
	seen := make([]session.Status, calls)
	for i := range seen {
		all.Go(func() {
			var err error
			if seen[i], err = session.On(client, "s").Status(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	distinct := map[int]bool{}
	for _, s := range seen {
		if s.Session != fmt.Sprint("s", s.Step) {
			t.Errorf("answers are mixed up: %q, %d", s.Session, s.Step)
		}
		distinct[s.Step] = true
	}
	if len(distinct) != calls {
		t.Errorf("%d different answers to %d calls", len(distinct), calls)
	}
}

// Whatever ends a connection ends every call at once, with a reason and what to
// do.
func TestClient_LostConnection(t *testing.T) {
	for name, end := range map[string]func(*peer, *session.Client){
		"closed there":  func(p *peer, _ *session.Client) { p.conn.Close() },
		"closed here":   func(_ *peer, c *session.Client) { c.Disconnect() },
		"half a line":   func(p *peer, _ *session.Client) { p.send(t, `{"jsonrpc":"2.0"}`+"\n"+`{"jso`); p.conn.Close() },
		"no JSON":       func(p *peer, _ *session.Client) { p.send(t, `HTTP/1.1 200 OK`) },
		"no object":     func(p *peer, _ *session.Client) { p.send(t, `17`) },
		"empty line":    func(p *peer, _ *session.Client) { p.send(t, ``) },
		"strange error": func(p *peer, _ *session.Client) { p.send(t, `{"jsonrpc":"2.0","id":1,"error":"oh"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			client := p.dial(t)
			const calls = 3
			failures := make(chan error, calls)
			for range calls {
				go func() { _, err := session.On(client, "s").Run(context.Background(), session.Until{}); failures <- err }()
			}
			for range calls {
				p.request(t)
			}
			end(p, client)
			for range calls {
				select {
				case err := <-failures:
					if !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), p.path) || errs.Of(err).Remedy == "" {
						t.Error(err)
					}
				case <-time.After(patience):
					t.Fatal("a call does not end")
				}
			}
			<-client.Ended()
			if _, err := session.VerbSessions.Call(t.Context(), client, session.None{}); !errs.Is(err, errs.Unavailable) {
				t.Errorf("the next call: %v", err)
			}
			client.Disconnect() // once more does no harm
		})
	}
}

// Errors of JSON-RPC itself have no data of ours, and an answer may have
// another shape.
func TestClient_ForeignAnswers(t *testing.T) {
	for answer, words := range map[string]string{
		`"error":{"code":-32603,"message":"internal error"}`:         "internal error",
		`"error":{"code":-32603,"message":"no kind","data":{"x":1}}`: "no kind",
		`"result":[1,2]`:           "cannot be read",
		`"result":{"step":"many"}`: "cannot be read",
		`"no":"result"`:            "cannot be read",
		`"error":{"code":1,"message":"m","data":{"kind":""}},"result":1`: "m",
	} {
		p := newPeer(t)
		client := p.dial(t)
		go func() {
			id, _ := p.request(t)
			p.send(t, `{"jsonrpc":"2.0","id":%d,%s}`, id, answer)
		}()
		if _, err := session.On(client, "s").Status(t.Context()); !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// A canceled call returns at once, and the next one works.
func TestClient_CanceledCall(t *testing.T) {
	p := newPeer(t)
	client := p.dial(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := session.On(client, "s").Selection(ctx); ended <- err }()
	id, _ := p.request(t)
	cancel()
	if err := <-ended; !errs.Is(err, errs.Interrupted) {
		t.Error(err)
	}
	p.send(t, `{"jsonrpc":"2.0","id":%d,"result":[]}`, id) // too late
	go func() {
		id, _ := p.request(t)
		p.send(t, `{"jsonrpc":"2.0","id":%d,"result":[]}`, id)
	}()
	if list, err := session.VerbSessions.Call(t.Context(), client, session.None{}); err != nil || list == nil {
		t.Errorf("the next call: %v, %v", list, err)
	}
}

// A canceled run tells the server to pause, again if the pause overtook the
// run, and returns the run's result.
func TestClient_CanceledRunPauses(t *testing.T) {
	p := newPeer(t)
	client := p.dial(t)
	ctx, cancel := context.WithCancel(t.Context())
	type outcome struct {
		status session.Status
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		status, err := session.On(client, "s").Run(ctx, session.Until{})
		ended <- outcome{status, err}
	}()
	run, method := p.request(t)
	if method != "run" {
		t.Fatal(method)
	}
	cancel()
	for range 2 {
		pause, method := p.request(t)
		if method != "pause" {
			t.Fatal(method)
		}
		p.send(t, `{"jsonrpc":"2.0","id":%d,"result":{"state":"idle"}}`, pause)
	}
	p.send(t, `{"jsonrpc":"2.0","id":%d,"result":{"state":"paused","step":7}}`, run)
	if o := <-ended; o.err != nil || o.status.State != session.Paused || o.status.Step != 7 {
		t.Errorf("%+v", o)
	}
}

// A number that JSON can't hold is rejected before it is sent.
func TestClient_RejectsNaN(t *testing.T) {
	client := newPeer(t).dial(t)
	if _, err := session.On(client, "s").Set(t.Context(), session.Config{Lambda: new(math.Inf(1))}); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
}

// Whatever is said to a watch, it ends with its connection and nothing panics.
func FuzzWatch(f *testing.F) {
	for _, seed := range []string{
		"", "{}\n", `{"method":"update","params":{"watch":1,"update":{"status":{"step":3}}}}` + "\n", `{"method":"update","params":{"watch":1}}` + "\n",
		`{"method":"update","params":{"watch":1,"update":{"history":{"from":-3,"events_from":-1,"curves":{"loss":{"steps":[1,2],"values":[1]}}}}}}` + "\n" +
			`{"method":"update","params":{"watch":1,"update":{"history":{"from":2,"events_from":9,"curves":{"loss":{"steps":[2],"values":[1,2,3]}},"events":[{"step":1}]}}}}` + "\n",
		`{"method":"update","params":{"watch":1,"error":{"kind":"failed","what":"w"}}}` + "\n", `{"id":2,"error":{"message":"no"}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		p := newPeer(t)
		client := p.dial(t)
		go func() {
			p.request(t)
			_, _ = p.conn.Write(input) // the client may have hung up
			p.conn.Close()
		}()
		var h session.History
		err := session.On(client, "s").Watch(t.Context(), session.WatchRequest{}, func(u session.Update) {
			if u.History != nil {
				h.Apply(*u.History)
			}
		})

		if err != nil && errs.Of(err).Kind == "" {
			t.Errorf("no kind: %v", err)
		}
	})
}

// Whatever the other end says, a call ends and nothing panics.
func FuzzClient(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}\n", `{"jsonrpc":"2.0","id":1,"result":{"step":3}}` + "\n", `{"id":1}` + "\n", `{"id":1,"error":{}}` + "\n",
		`{"id":1,"error":{"message":"x","data":{"kind":"busy","what":"w","remedy":"r"}}}` + "\n", `{"id":1,"result":null}` + "\n",
		`{"method":"update","params":{"watch":1,"update":{"status":{"step":1e9}}}}` + "\n" + `{"id":1,"result":{}}` + "\n", `{"id":9223372036854775808}` + "\n",
		strings.Repeat("[", 5000) + "\n", "{\"id\":1,\"result\":{\"session\":\"\xff\"}}\n", `{"id":1,"id":2,"result":{"config":{"hidden":[1,2]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		p := newPeer(t)
		client := p.dial(t)
		go func() {
			p.request(t)
			_, _ = p.conn.Write(input) // the client may have hung up
			p.conn.Close()
		}()
		status, err := session.On(client, "s").Status(t.Context())
		if err != nil && errs.Of(err).Kind == "" {
			t.Errorf("no kind: %v", err)
		}
		if err == nil {
			_ = status.String()
		}
	})
}

// If the server is stopped and reads nothing for a while, calls say so. The
// connection stays, because the server isn't dead and goes on.
func TestClient_StoppedServer(t *testing.T) {
	p := newPeer(t)
	client := p.dial(t)
	client.SetWriteLimit(10 * time.Millisecond)
	const calls = 100 // of 4 kB, more than a socket holds
	ended := make(chan error, calls)
	for range calls {
		go func() {
			ended <- client.Call(t.Context(), "status", session.NameRequest{Session: strings.Repeat("x", 4000)}, nil)
		}()
	}
	if err := <-ended; !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "has read no request") {
		t.Errorf("%v", err)
	}
	go func() {
		for {
			line, err := p.lines.ReadString('\n')
			var r struct{ ID int64 }
			if err != nil || json.Unmarshal([]byte(line), &r) != nil {
				return
			}
			fmt.Fprintf(p.conn, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", r.ID) //nolint:errcheck // the client may have hung up
		}
	}()
	answered := 0
	for range calls - 1 {
		if err := <-ended; err == nil {
			answered++
		} else if !strings.Contains(err.Error(), "has read no request") {
			t.Fatal(err)
		}
	}
	if err := client.Call(t.Context(), "status", session.NameRequest{Session: "x"}, nil); err != nil || answered == 0 {
		t.Errorf("%d were answered; then %v", answered, err)
	}
}

// The client decides how long an interrupted run may take to pause: only a cell
// has no time.
func TestClient_PauseLimit(t *testing.T) {
	p := newPeer(t)
	client := p.dial(t)
	client.PauseLimit = 20 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- client.Call(ctx, "run", session.RunRequest{Session: "leukemia"}, nil) }()
	p.request(t)
	cancel()
	if err := <-ended; !errs.Is(err, errs.Interrupted) || !strings.Contains(err.Error(), "did not pause within 20ms") {
		t.Error(err)
	}
}
