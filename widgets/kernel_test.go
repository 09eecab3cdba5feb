package widgets_test

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"fsnetlab/fsnet/session"
)

// kernel is the other end of the socket: it opens every session and remembers which views were asked for.
type kernel struct {
	mu    sync.Mutex
	views []map[string]any
	shown []map[string]any
}

type call struct {
	ID     int64          `json:"id"`
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

func (k *kernel) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": c.ID, "result": map[string]any{}}
		switch {
		case c.Method == "view" && c.Params["session"] == "broken":
			reply = map[string]any{"jsonrpc": "2.0", "id": c.ID, "error": map[string]any{"code": -32000, "message": "no P yet - step first",
				"data": map[string]any{"kind": "failed", "what": "no P yet", "remedy": "step first"}}}
		case c.Method == "input" && c.Params["prompt"] == "unanswered":
			reply = map[string]any{"jsonrpc": "2.0", "id": c.ID,
				"error": map[string]any{"code": -32000, "message": "this front end cannot ask - give the value in the cell",
					"data": map[string]any{"kind": "request", "what": "this front end cannot ask", "remedy": "give the value in the cell"}}}
		case c.Method == "input" && c.Params["password"] == true:
			reply["result"] = "a secret"
		case c.Method == "input":
			reply["result"] = "a line"
		case c.Method == "show":
			k.mu.Lock()
			k.shown = append(k.shown, c.Params)
			k.mu.Unlock()
		case c.Method == "view":
			k.mu.Lock()
			k.views = append(k.views, c.Params)
			k.mu.Unlock()
		}
		if err := json.NewEncoder(conn).Encode(reply); err != nil {
			return
		}
	}
}

// takeShown gives what was shown since the last call.
func (k *kernel) takeShown() []map[string]any {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.shown
	k.shown = nil
	return list
}

// seen is the one view asked of a session.
func (k *kernel) seen(t *testing.T, name string) map[string]any {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	var found map[string]any
	for _, v := range k.views {
		if v["session"] == name {
			if found != nil {
				t.Fatalf("two views of %s: %v and %v", name, found, v)
			}
			found = v
		}
	}
	if found == nil {
		t.Fatalf("no view of %s was asked for", name)
	}
	return found
}

// TestMain runs the tests with one kernel behind the socket that cells use, since a process has one connection to it.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	directory, err := os.MkdirTemp("", "fsnet")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "k.sock")
	if os.Getenv(session.SocketVariable) == "" { // a cell that a test started has its parent's
		listener, err := net.Listen("unix", path)
		if err != nil {
			panic(err)
		}
		defer listener.Close()
		if err := os.Setenv(session.SocketVariable, path); err != nil {
			panic(err)
		}
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go asked.serve(conn)
			}
		}()
	}
	return m.Run()
}

var asked = new(kernel)
