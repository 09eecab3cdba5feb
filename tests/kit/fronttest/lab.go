package fronttest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
)

// Limit bounds every wait. When it has passed, the test fails. No test waits
// for it to pass.
const Limit = 5 * time.Minute

// Lab is a front end of a kernel under test. It checks every message against
// the specification.
type Lab struct {
	testing.TB
	*Front
	Client     *jupyter.Client
	Connection jupyter.Connection

	witness *witness
}

// NewLab connects to a starting kernel, until the test ends.
func NewLab(t testing.TB, c jupyter.Connection) *Lab {
	t.Helper()
	l := &Lab{TB: t, Connection: c}
	var err error
	if l.Front, err = Meet(l.Soon(), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	l.Client = l.client
	l.watch()
	return l
}

// In returns the lab for a subtest.
func (l *Lab) In(t testing.TB) *Lab {
	in := *l
	in.TB = t
	return &in
}

// witness is a second front end. It receives everything published and checks it
// against the specification.
type witness struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (l *Lab) watch() {
	l.Helper()
	client, err := jupyter.Dial(l.Soon(), l.Connection)
	if err != nil {
		l.Fatal(err)
	}
	l.witness = &witness{seen: map[string]bool{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p := newProtocol()
		for {
			select {
			case m := <-client.IOPub():
				if err := p.check(m); err != nil {
					l.Errorf("published: %s: %v in %s", m.Header.Type, err, m.Content)
				}
				if socket := p.table[nameOf(m)].socket; socket != "iopub" && m.Header.Type != "shutdown_reply" { // other front ends get these
					l.Errorf("%s was published; it belongs to %s", m.Header.Type, socket)
				}
				l.saw(m)
			case <-client.Ended():
				return
			}
		}
	}()
	l.Cleanup(func() {
		client.Close()
		<-ended
	})
}

func (l *Lab) saw(m jupyter.Message) {
	l.witness.mu.Lock()
	defer l.witness.mu.Unlock()
	l.witness.seen[nameOf(m)] = true
}

// Unseen lists the messages of the specification that the kernel has not sent.
func (l *Lab) Unseen() []string {
	l.witness.mu.Lock()
	defer l.witness.mu.Unlock()
	names := slices.Sorted(maps.Keys(specification()))
	return slices.DeleteFunc(names, func(name string) bool { return l.witness.seen[name] })
}

// Soon returns a context that ends after Limit.
func (l *Lab) Soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	l.Cleanup(cancel)
	return ctx
}

// Begun sends a request on a socket, shell or control, and does not wait.
func (l *Lab) Begun(socket, messageType string, content any) *Exchange {
	l.Helper()
	return l.send(socket, l.Client.Request(messageType, content))
}

// BegunIn is Begun in a subshell, given as JSON.
func (l *Lab) BegunIn(subshell, socket, messageType string, content any) *Exchange {
	l.Helper()
	m := l.Client.Request(messageType, content)
	header := map[string]any{}
	if err := json.Unmarshal(m.HeaderJSON(), &header); err != nil {
		l.Fatal(err)
	}
	header["subshell_id"] = json.RawMessage(subshell)
	m.RawHeader = jupyter.Content(header)
	return l.send(socket, m)
}

func (l *Lab) send(socket string, m jupyter.Message) *Exchange {
	l.Helper()
	e, err := l.Send(socket, m)
	if err != nil {
		l.Fatal(err)
	}
	return e
}

// Ask sends a request on the shell socket and checks the answer.
func (l *Lab) Ask(messageType string, content any) Answer {
	l.Helper()
	return l.Wait(l.Begun("shell", messageType, content))
}

// AskControl is Ask on the control socket.
func (l *Lab) AskControl(messageType string, content any) Answer {
	l.Helper()
	return l.Wait(l.Begun("control", messageType, content))
}

// Get is Ask that decodes the reply into content.
func (l *Lab) Get(messageType string, request, content any) {
	l.Helper()
	if a := l.Ask(messageType, request); a.Reply.Decode(content) != nil {
		l.Fatalf("%s: %s", messageType, a.Reply.Content)
	}
}

// Wait waits for an answer and checks it.
func (l *Lab) Wait(e *Exchange) Answer {
	l.Helper()
	a, err := e.Wait(l.Soon())
	if err != nil {
		l.Fatalf("%v; so far %s", err, a.Types())
	}
	conform(l.TB, e.Request, a)
	l.saw(a.Reply)
	return a
}

// Until waits for a message published for a request.
func (l *Lab) Until(e *Exchange, fits func(jupyter.Message) bool) {
	l.Helper()
	if err := e.Until(l.Soon(), fits); err != nil {
		l.Fatalf("%v; so far %s", err, e.Now().Types())
	}
}

// Of returns a match for messages of a type.
func Of(messageType string) func(jupyter.Message) bool {
	return func(m jupyter.Message) bool { return m.Header.Type == messageType }
}

// Says returns a match for output that contains a text, except the code of a
// cell.
func Says(text string) func(jupyter.Message) bool {
	return func(m jupyter.Message) bool {
		var s jupyter.Stream
		return m.Header.Type == "stream" && m.Decode(&s) == nil && strings.Contains(s.Text, text)
	}
}

// Begin starts a cell and does not wait.
func (l *Lab) Begin(code string) *Exchange {
	l.Helper()
	return l.Begun("shell", "execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
}

// BeginIn starts a cell in a subshell.
func (l *Lab) BeginIn(subshell, code string) *Exchange {
	l.Helper()
	return l.BegunIn(fmt.Sprintf("%q", subshell), "shell", "execute_request",
		jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
}

// Asking starts a cell of a front end that can prompt its user.
func (l *Lab) Asking(code string) *Exchange {
	l.Helper()
	return l.Begun("shell", "execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, AllowStdin: true})
}

// Silently runs a silent cell and then evaluates expressions.
func (l *Lab) Silently(code string, expressions map[string]string) Result {
	l.Helper()
	return l.Finish(l.Begun("shell", "execute_request", jupyter.ExecuteRequest{Code: code, Silent: true, UserExpressions: expressions}))
}

// Question waits for a cell's prompt.
func (l *Lab) Question(e *Exchange, prompt string, secret bool) jupyter.Message {
	l.Helper()
	select {
	case m := <-l.Client.Stdin():
		var request jupyter.InputRequest
		if err := m.Decode(&request); err != nil || m.Header.Type != "input_request" ||
			m.ParentID() != e.Request.Header.ID || !strings.Contains(request.Prompt, prompt) || request.Password != secret {
			l.Errorf("the prompt is %s, its parent %s, %v", m.Content, m.Parent, err)
		}
		if err := newProtocol().check(m); err != nil {
			l.Error(err)
		}
		l.saw(m)
		return m
	case <-time.After(Limit):
		l.Fatal("no prompt arrived")
	}
	return jupyter.Message{}
}

// Reply answers a prompt. For the zero value it sends an answer without a
// prompt.
func (l *Lab) Reply(question jupyter.Message, value string) {
	l.Helper()
	m := l.Client.Request("input_reply", jupyter.InputReply{Value: value})
	if question.Header.ID != "" {
		m.Parent = question.HeaderJSON()
	}
	if err := l.Client.SendStdin(m); err != nil {
		l.Fatal(err)
	}
}

// Subshell creates a subshell.
func (l *Lab) Subshell() (id string) {
	l.Helper()
	var reply jupyter.SubshellReply
	if a := l.AskControl("create_subshell_request", nil); a.Reply.Decode(&reply) != nil || reply.Status != "ok" || reply.ID == "" {
		l.Fatalf("a subshell is not made: %s", a.Reply.Content)
	}
	return reply.ID
}

// Interrupt interrupts the running cell.
func (l *Lab) Interrupt() {
	l.Helper()
	l.AskControl("interrupt_request", nil)
}

// OK runs a cell that must not fail.
func (l *Lab) OK(code string) Result {
	l.Helper()
	r := l.Run(code)
	if r.Status != "ok" {
		l.Fatalf("%q: %s: %s", code, r.Name, r.Value)
	}
	return r
}

// Fails runs a cell that must fail with one error that contains these texts.
func (l *Lab) Fails(code string, want ...string) Result {
	l.Helper()
	r := l.Run(code)
	l.HasFailed(code, r, want...)
	return r
}

// HasFailed checks the error of a cell.
func (l *Lab) HasFailed(code string, r Result, want ...string) {
	l.Helper()
	if r.Status != "error" {
		l.Fatalf("%q: %s, want an error", code, r.Status)
	}
	text := r.Name + ": " + r.Value
	for _, w := range want {
		if !strings.Contains(text, w) {
			l.Errorf("%q: the error is %q, want %q in it", code, text, w)
		}
	}
	if n := len(r.Of("error")); n != 1 {
		l.Errorf("%q: %d errors were published, want 1", code, n)
	}
}

// Run runs a cell.
func (l *Lab) Run(code string) Result {
	l.Helper()
	return l.Finish(l.Begin(code))
}

// Finish waits for a cell.
func (l *Lab) Finish(e *Exchange) Result {
	l.Helper()
	r := Result{Answer: l.Wait(e)}
	if err := r.Reply.Decode(&r); err != nil {
		l.Fatal(err)
	}
	return r
}

// Result is a finished cell.
type Result struct {
	Answer             `json:"-"`
	jupyter.ErrorReply     // every cell has its Status
	Count              int `json:"execution_count"`
	Payload            []struct {
		Source  string         `json:"source"`
		Text    string         `json:"text"`
		Replace bool           `json:"replace"`
		Data    map[string]any `json:"data"`
	} `json:"payload"`
	Expressions map[string]struct {
		jupyter.ErrorReply
		Data map[string]any `json:"data"`
	} `json:"user_expressions"`
}

// Texts returns the plain text of all displays, in order. An update replaces
// its display.
func (r Result) Texts() []string {
	var list []string
	places := map[string]int{}
	for _, m := range r.Published {
		switch m.Header.Type {
		case "display_data", "execute_result", "update_display_data":
		default:
			continue
		}
		var d jupyter.DisplayData
		if m.Decode(&d) != nil {
			continue
		}
		text, _ := d.Data["text/plain"].(string)
		id := d.Transient.DisplayID
		if i, seen := places[id]; seen && id != "" {
			list[i] = text
			continue
		}
		places[id] = len(list)
		list = append(list, text)
	}
	return list
}

// Stream returns the text on stdout or stderr.
func (r Result) Stream(name string) string {
	var text strings.Builder
	for _, m := range r.Of("stream") {
		var s jupyter.Stream
		if m.Decode(&s) == nil && s.Name == name {
			text.WriteString(s.Text)
		}
	}
	return text.String()
}

// Types lists the published messages, one a line.
func (a Answer) Types() string {
	var list []string
	for _, m := range a.Published {
		list = append(list, m.Header.Type+" "+string(m.Content))
	}
	return strings.Join(list, "\n")
}
