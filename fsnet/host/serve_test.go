package host_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
	"fsnetlab/tests/kit/sessiontest/fake"
)

const patience = time.Minute // what hangs is stopped; nothing waits for it to pass

// ask sends one line and returns the one that answers it.
func ask(t *testing.T, path, line string) string {
	t.Helper()
	conn := rawDial(t, path)
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	must(io.WriteString(conn, line+"\n"))(t)
	for answers := bufio.NewReader(conn); ; {
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !strings.Contains(answer, `"method":"update"`) {
			return answer
		}
	}
}

// The protocol as a table of lines and their answers.
func TestServe_Protocol(t *testing.T) {
	h := newHost(t, fake.Open)
	path := serve(t, h)
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: session.Config{Data: "planted", K: 3}}))(t)
	for _, c := range []struct {
		name, line string
		code       int // of the error, or 0
		words      []string
	}{
		{"status", `{"jsonrpc":"2.0","id":1,"method":"status","params":{"session":"leukemia"}}`, 0, []string{`"id":1`, `"session":"leukemia"`, `"state":"idle"`, `"steps_per_epoch":`}},
		{"text id", `{"jsonrpc":"2.0","id":"x","method":"sessions","params":{}}`, 0, []string{`"id":"x"`, `"result":[{`}},
		{"sessions without parameters", `{"jsonrpc":"2.0","id":1,"method":"sessions"}`, 0, []string{`"result":[{`}},
		{"step", `{"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":2}}`, 0, []string{`"step":2,`, `"state":"paused"`}},
		{"run", `{"jsonrpc":"2.0","id":1,"method":"run","params":{"session":"leukemia","until":{"step":4}}}`, 0, []string{`"step":4,`}},
		{"run and wait", `{"jsonrpc":"2.0","id":1,"method":"run","params":{"session":"leukemia","until":{"step":5,"wait":true}}}`, 0, []string{`"step":5,`}},
		{"wait for what", `{"jsonrpc":"2.0","id":1,"method":"run","params":{"session":"leukemia","until":{"step":5,"wait":"no"}}}`, -32602, []string{"wait", "true or false"}},
		{"fork", `{"jsonrpc":"2.0","id":1,"method":"fork","params":{"session":"leukemia","as":"branch","step":3}}`, 0, []string{`"session":"branch"`, `"step":3,`}},
		{"rewind", `{"jsonrpc":"2.0","id":1,"method":"rewind","params":{"session":"leukemia","step":4}}`, 0, []string{`"step":4,`}},
		{"set", `{"jsonrpc":"2.0","id":1,"method":"set","params":{"session":"leukemia","changes":{"lambda":0.5}}}`, 0, []string{`"changes":[{"key":"lambda","from":"1","to":"0.5"}]`}},
		{"matrix", `{"jsonrpc":"2.0","id":1,"method":"matrix","params":{"session":"leukemia","of":"soft","top":2}}`, 0, []string{`"of":"soft"`, `"left_out":[`}},
		{"feature", `{"jsonrpc":"2.0","id":1,"method":"feature","params":{"session":"leukemia","feature":"gene07"}}`, 0, []string{`"index":7,`, `"bins":{"edges":[`, `"course":{"steps":[`}},
		{"feature by column", `{"jsonrpc":"2.0","id":1,"method":"feature","params":{"session":"leukemia","feature":7}}`, 0, []string{`"name":"gene07"`}},
		{"feature by what", `{"jsonrpc":"2.0","id":1,"method":"feature","params":{"session":"leukemia","feature":[7]}}`, -32602, []string{"a text"}},
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`, 0, []string{`"result":{}`}},
		{"features", `{"jsonrpc":"2.0","id":1,"method":"features","params":{"session":"leukemia","prefix":"gene0","most":2}}`, 0, []string{`"result":["gene0`}},
		{"history", `{"jsonrpc":"2.0","id":1,"method":"history","params":{"session":"leukemia","metrics":["tau"],"points":9}}`, 0, []string{`"curves":{"tau":{"steps":`, `"events":[{`}},
		{"watch", `{"jsonrpc":"2.0","id":1,"method":"watch","params":{"session":"leukemia","watch":7,"selection":true,"matrix":{"of":"soft","top":2},"history":{"metrics":["tau"]},"rate":2}}`, 0, []string{`"result":{"watch":7,"status":{"session":"leukemia"`}},
		{"watch whom", `{"jsonrpc":"2.0","id":1,"method":"watch","params":{"session":"leukemai","watch":7}}`, -32000, []string{`"kind":"not-found"`, "did you mean leukemia?"}},
		{"watch what", `{"jsonrpc":"2.0","id":1,"method":"watch","params":{"session":"leukemia","matrix":{"off":"soft"}}}`, -32602, []string{"did you mean of?"}},
		{"unwatch nothing", `{"jsonrpc":"2.0","id":1,"method":"unwatch","params":{"watch":7}}`, 0, []string{`"result":{}`}},
		{"evaluate", `{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"leukemia","part":"test"}}`, 0, []string{`"test_looks":1`}},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"status","params":{"session":"leukemia"}}]`, -32600, []string{"send one object a line"}},

		{"no such session", `{"jsonrpc":"2.0","id":1,"method":"status","params":{"session":"leukemai"}}`, -32000, []string{`"kind":"not-found"`, `"what":"there is no session`, `"remedy":"did you mean leukemia?`}},
		{"no such method", `{"jsonrpc":"2.0","id":1,"method":"stepp","params":{}}`, -32601, []string{`"kind":"request"`, "did you mean step?"}},
		{"no hidden method", `{"jsonrpc":"2.0","id":1,"method":"rpc.serverInfo"}`, -32601, nil},
		{"misspelt parameter", `{"jsonrpc":"2.0","id":1,"method":"step","params":{"sesion":"leukemia","n":1}}`, -32602, []string{`"kind":"request"`, "sesion", "did you mean session?"}},
		{"misspelt key", `{"jsonrpc":"2.0","id":1,"method":"set","params":{"session":"leukemia","changes":{"lamda":1}}}`, -32602, []string{"lamda", "did you mean lambda?"}},
		{"wrong type", `{"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":"two"}}`, -32602, []string{"n is string", "a whole number"}},
		{"fraction", `{"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":1.5}}`, -32602, []string{"n is number 1.5", "a whole number"}},
		{"too large", `{"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"leukemia","n":1e99}}`, -32602, []string{"whole number"}},
		{"list of parameters", `{"jsonrpc":"2.0","id":1,"method":"step","params":["leukemia",1]}`, -32602, []string{"params is array", "an object"}},
		{"no parameters", `{"jsonrpc":"2.0","id":1,"method":"status"}`, -32000, []string{`"kind":"not-found"`}},

		{"no JSON", `hello`, -32700, []string{`"id":null`}},
		{"half an object", `{"jsonrpc":"2.0","id":1,`, -32700, nil},
		{"empty line", ``, -32700, nil},
		{"no version", `{"id":1,"method":"status"}`, -32600, nil},
		{"no method", `{"jsonrpc":"2.0","id":1}`, -32600, nil},
		{"object as id", `{"jsonrpc":"2.0","id":{},"method":"sessions"}`, -32600, nil},
		{"number as parameters", `{"jsonrpc":"2.0","id":1,"method":"sessions","params":5}`, -32600, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := ask(t, path, c.line)
			var reply struct{ Error *struct{ Code int } }
			if err := json.Unmarshal([]byte(answer), &reply); err != nil {
				t.Fatalf("%v: %s", err, answer)
			}
			if code := 0; (reply.Error == nil) != (c.code == code) || reply.Error != nil && reply.Error.Code != c.code {
				t.Errorf("want code %d: %s", c.code, answer)
			}
			for _, word := range c.words {
				if !strings.Contains(answer, word) {
					t.Errorf("no %s in %s", word, answer)
				}
			}
		})
	}
}

// A line without an id is rejected and starts nothing.
func TestServe_RequestWithoutID(t *testing.T) {
	h := newHost(t, fake.Open)
	path := serve(t, h)
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}))(t)
	const run = `{"jsonrpc":"2.0","method":"run","params":{"session":"leukemia","until":{}}}`
	for _, line := range []string{run, "[" + run + `,{"jsonrpc":"2.0","id":1,"method":"sessions"}]`} {
		if answer := ask(t, path, line); !strings.Contains(answer, `"id":null`) || !strings.Contains(answer, "-32600") {
			t.Error(answer)
		}
	}
	if answer := ask(t, path, `{"jsonrpc":"2.0","id":7,"method":"status","params":{"session":"leukemia"}}`); !strings.Contains(answer, `"state":"idle"`) {
		t.Error(answer)
	}
}

func endless() session.Config {
	return session.Config{Data: "planted", K: 3, Epochs: 1_000_000_000, Stop: "never"}
}

// A line that is too long ends its connection, and no other.
func TestServe_TooLongLine(t *testing.T) {
	path := serve(t, newHost(t, fake.Open))
	other := dial(t, path)
	conn := rawDial(t, path)
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	go func() { // the other end hangs up before it has read all of it
		_, _ = io.Copy(conn, io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), io.LimitReader(zeros{}, 1<<22)))
	}()
	if rest, err := io.ReadAll(conn); len(rest) > 0 || (err != nil && isTimeout(err)) {
		t.Errorf("answered %q, %v", rest, err)
	}
	if _, err := session.VerbSessions.Call(t.Context(), other, session.None{}); err != nil {
		t.Errorf("another connection: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// A client above the limit is told so, whatever it asks. Once another has gone,
// there is room.
func TestServe_BoundsClients(t *testing.T) {
	path := serve(t, newHost(t, fake.Open))
	first := rawDial(t, path)
	for range system.MostConnections - 1 {
		rawDial(t, path)
	}
	one := dial(t, path)
	if _, err := session.VerbSessions.Call(t.Context(), one, session.None{}); !errs.Is(err, errs.Unavailable) ||
		!strings.Contains(err.Error(), "has 512 connections, the most it can have - end programs") {
		t.Errorf("client %d: %v", system.MostConnections+1, err)
	}
	first.Close()
	for end := time.Now().Add(patience); ; {
		if _, err := session.VerbSessions.Call(t.Context(), dial(t, path), session.None{}); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("with room again: %v", err)
		}
	}
}

func waitFor(t *testing.T, on session.Caller, name string, wanted func(session.Status) bool) session.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		status, err := session.On(on, name).Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if wanted(status) {
			return status
		}
		time.Sleep(time.Millisecond) // in which what it waits for has the processor
	}
}

// A client that reads nothing delays neither a run nor other clients.
func TestServe_SlowClient(t *testing.T) {
	h := newHost(t, fake.Open)
	path := serve(t, h)
	deaf := rawDial(t, path)
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "leukemia", Config: endless()}))(t)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"history","params":{"session":"leukemia"}}` + "\n")
	go func() { _, _ = deaf.Write(bytes.Repeat(line, 3000)) }() // megabytes of answers that nobody reads
	client := dial(t, path)
	for range 50 {
		must(session.On(client, "leukemia").Step(t.Context(), 10))(t)
	}
}

// Whatever one connection sends, another is served.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "\n\n\n", "{}\n", "[]\n", "null\n",
		`{"jsonrpc":"2.0","id":1,"method":"feature","params":{"session":"a","feature":1e9}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"watch","params":{"session":"a","watch":1,"matrix":{"top":-1}}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"unwatch","params":{"watch":1}}` + "\n", `{"jsonrpc":"2.0","id":1,"method":"status","params":{"session":"a"}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"open","params":{"session":"a","config":{"data":"planted","k":3,"hidden":[4]}}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"step","params":{"session":"a","n":1}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"open","params":{"session":"a","config":{"data":"planted","k":-3,"batch":-1,"epochs":9223372036854775807}}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"run","params":{"session":"a","until":{"epoch":-1}}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n", `{"jsonrpc":"2.0","id":null,"error":{"code":1}}` + "\n",
		`[{"jsonrpc":"2.0","id":1,"method":"sessions"},{"jsonrpc":"2.0","id":1,"method":"sessions"},5,[]]` + "\n",
		`{"jsonrpc":"2.0","id":1e400,"method":"sessions"}` + "\n", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\",\"id\":\"\\u0000\"}\n",
		`{"jsonrpc":"2.0","id":1,"method":"set","params":{"session":"a","changes":{"hidden":null,"lambda":1e999}}}` + "\n",
		strings.Repeat("[", 10000) + "\n", `{"jsonrpc":"2.0","id":1,"method":"close"`,
	} {
		f.Add([]byte(seed))
	}
	h := newHost(f, fake.Open)
	path := serve(f, h)
	witness := dial(f, path)
	f.Fuzz(func(t *testing.T, input []byte) {
		conn := rawDial(t, path)
		if _, err := conn.Write(input); err != nil {
			t.Skip("hung up on") // more than a line's limit
		}
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			if err := half.CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		list, err := session.VerbSessions.Call(ctx, witness, session.None{})
		if err != nil {
			t.Fatalf("after %q: %v", input, err)
		}
		for _, s := range list {
			if err := session.On(witness, s.Session).Close(ctx); err != nil && !errs.Is(err, errs.NotFound) {
				t.Fatal(err)
			}
		}
	})
}
