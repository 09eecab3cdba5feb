package jupyter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// echo is a language of one word and its text a cell.
type echo struct{ kernel *jupyter.Kernel }

func (l echo) Execute(c *jupyter.Cell) error {
	c.Begin()
	d := jupyter.DisplayData{Data: map[string]any{"text/plain": c.Request.Code}, Metadata: map[string]any{}}
	switch word, text, _ := strings.Cut(c.Request.Code, " "); word {
	case "say":
		c.Result(d)
	case "show":
		c.Publish("clear_output", jupyter.ClearOutput{})
		c.Publish("display_data", d)
		d.Transient.DisplayID = "a"
		c.Publish("update_display_data", d)
		c.Relay(jupyter.NewMessage("other", "stream", jupyter.Stream{Name: "stdout", Text: text}))
		c.AddPayload(map[string]any{"source": "set_next_input", "text": text, "replace": true})
		l.kernel.Publish(jupyter.Message{}, "comm_open", map[string]any{"comm_id": text, "target_name": "t", "data": d.Data})
	case "fail":
		return jupyter.ErrorReply{Name: "Failure", Value: text, Traceback: []string{text}}
	case "panic":
		panic(text)
	case "ask":
		answers := make(chan jupyter.Message, 1)
		withdraw, asked := c.Ask(jupyter.InputRequest{Prompt: text}, func(m jupyter.Message) { answers <- m })
		defer withdraw()
		if _, again := c.Ask(jupyter.InputRequest{}, func(jupyter.Message) {}); !asked || again {
			return errors.New("two questions are open")
		}
		select {
		case m := <-answers:
			c.Publish("stream", jupyter.Stream{Name: "stdout", Text: string(m.Content)})
		case <-c.Context.Done():
			return errs.New(errs.Interrupted, "", "not answered")
		}
	case "wait": // for an interrupt, or with a text for two
		c.Publish("stream", jupyter.Stream{Name: "stdout", Text: fmt.Sprint("waits, console: ", c.Console)})
		if <-c.Context.Done(); text != "" {
			c.Remark("again")
			<-c.Forced
		}
		return errs.New(errs.Interrupted, "", "interrupted")
	}
	return nil
}

func (l echo) Evaluate(_ *jupyter.Cell, text string) (jupyter.DisplayData, error) {
	if text == "" {
		return jupyter.DisplayData{}, errs.New(errs.Request, "", "no expression")
	}
	return jupyter.DisplayData{Data: map[string]any{"text/plain": text}}, nil
}

func (echo) Complete(_ context.Context, r jupyter.CompleteRequest) jupyter.CompleteReply {
	if r.Code == "panic" {
		panic("no answer")
	}
	return jupyter.CompleteReply{CursorEnd: r.CursorPos}
}

func (echo) Inspect(_ context.Context, r jupyter.InspectRequest) jupyter.InspectReply {
	return jupyter.InspectReply{Data: map[string]any{"text/plain": r.Code}}
}

func (echo) IsComplete(code string) jupyter.IsCompleteReply {
	if code == "incomplete" || code == "invalid" {
		return jupyter.IsCompleteReply{Status: code}
	}
	return jupyter.IsCompleteReply{Status: "complete"}
}

func (l echo) Comm(m jupyter.Message) error {
	l.kernel.Publish(m, m.Header.Type, map[string]any{"comm_id": "c", "data": map[string]any{}})
	return nil
}

func (echo) Comms(target string) map[string]string { return map[string]string{"c": target} }
func (echo) Shutdown()                             {}

// lab is a kernel of echo and a front end of it.
type lab struct {
	*fronttest.Lab
	log   *strings.Builder
	ended chan struct{} // closed when it has
	end   context.CancelFunc
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir := t.TempDir()
	c := jupyter.NewLocalConnection(filepath.Join(dir, "k"))
	file := filepath.Join(dir, "kernel.json")
	if err := c.Write(file); err != nil {
		t.Fatal(err)
	}
	l := &lab{log: new(strings.Builder), ended: make(chan struct{})}
	k, err := jupyter.New(file, jupyter.KernelOptions{
		Info:    jupyter.KernelInfo{Implementation: "echo", LanguageInfo: jupyter.LanguageInfo{Name: "echo"}, HelpLinks: []jupyter.HelpLink{}},
		History: filepath.Join(dir, "history"), Log: slog.New(slog.NewTextHandler(l.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	l.end = end
	go func() {
		defer close(l.ended)
		k.Run(ctx, echo{k})
	}()
	t.Cleanup(func() {
		end()
		l.awaitEnd()
	})
	l.Lab = fronttest.NewLab(t, c)
	return l
}

func (l *lab) awaitEnd() {
	l.Helper()
	select {
	case <-l.ended:
	case <-time.After(fronttest.Limit):
		l.Error("the kernel does not end")
	}
}

// In a whole conversation, every kind of message that a kernel may send matches
// the specification. All other tests check theirs, too.
func TestServe_MessagesMatchSpecification(t *testing.T) {
	l := newLab(t)
	for _, socket := range []func(string, any) fronttest.Answer{l.Ask, l.AskControl} {
		var info jupyter.KernelInfo
		if err := socket("kernel_info_request", nil).Reply.Decode(&info); err != nil || info.Debugger || info.Implementation != "echo" ||
			!slices.Equal(info.SupportedFeatures, []string{"iopub_welcome", "kernel subshells"}) {
			t.Errorf("%+v, %v", info, err)
		}
		for _, kind := range []string{"complete", "inspect", "is_complete", "history", "comm_info"} {
			socket(kind+"_request", jupyter.IsCompleteRequest{Code: "complete"})
			a := socket(kind+"_request", json.RawMessage(`{"code":3,"target_name":4,"hist_access_type":5}`))
			if text := string(a.Reply.Content); !strings.Contains(text, "the content of a "+kind) {
				t.Errorf("%s: %s", kind, text)
			}
		}
		for _, code := range []string{"incomplete", "invalid"} {
			socket("is_complete_request", jupyter.IsCompleteRequest{Code: code})
		}
		socket("interrupt_request", nil) // also where nothing runs
	}
	shown := l.OK("show it")
	if len(shown.Payload) != 1 || shown.Payload[0].Text != "it" || shown.Stream("stdout") != "it" || len(shown.Texts()) != 2 {
		t.Errorf("%s, %s", shown.Reply.Content, shown.Types())
	}
	if d := l.OK("say it").Of("execute_result"); len(d) != 1 {
		t.Errorf("results: %v", d)
	}
	l.Fails("fail so", "Failure: so")
	l.Ask("execute_request", json.RawMessage(`{"code":3}`))
	r := l.Silently("say it", map[string]string{"a": "b", "c": ""})
	if x := r.Expressions; x["a"].Data["text/plain"] != "b" || x["a"].Status != "ok" || x["c"].Status != "error" || x["c"].Name != "Request" {
		t.Errorf("%s", r.Reply.Content)
	}
	if x := l.Silently("fail", map[string]string{"a": "b"}); x.Status != "error" || len(x.Expressions) != 0 {
		t.Errorf("behind a failure: %s", x.Reply.Content)
	}
	made := l.Subshell()
	l.AskControl("list_subshell_request", nil)
	l.AskControl("delete_subshell_request", map[string]any{"subshell_id": made})
	l.AskControl("delete_subshell_request", map[string]any{"subshell_id": made})
	l.Wait(l.BegunIn(`"none"`, "control", "interrupt_request", nil))
	var last fronttest.Answer
	for range jupyter.MostShells + 1 {
		last = l.AskControl("create_subshell_request", nil)
	}
	if !strings.Contains(string(last.Reply.Content), "there are already 64 subshells") {
		t.Errorf("one more: %s", last.Reply.Content)
	}
	for _, kind := range []string{"comm_msg", "comm_close"} {
		l.Until(l.Begun("shell", kind, map[string]any{"comm_id": "c"}), fronttest.Of(kind))
	}
	e := l.Asking("ask name? ")
	l.Reply(l.Question(e, "name? ", false), "me")
	l.Finish(e)
	running, behind := l.Begin("wait"), l.Begin("say it")
	l.Until(running, fronttest.Says("waits"))
	l.Ask("interrupt_request", nil) // by shell it works, too
	l.Finish(running)
	l.Finish(behind)
	other := fronttest.NewLab(t, l.Connection)
	l.Ask("shutdown_request", jupyter.Shutdown{Restart: true})
	l.awaitEnd()
	told := func() bool {
		return slices.ContainsFunc(other.Unasked(), func(m jupyter.Message) bool {
			return m.Header.Type == "shutdown_reply" && strings.Contains(string(m.Content), `"restart":true`)
		})
	}
	for end := time.Now().Add(10 * time.Second); !told(); time.Sleep(time.Millisecond) { // it reads what was sent in its own time
		if time.Now().After(end) {
			t.Fatal("other front ends are not told")
		}
	}
	if _, err := jupyter.Dial(t.Context(), l.Connection); err == nil {
		t.Error("somebody still listens")
	}
	if left := l.Unseen(); len(left) > 0 {
		t.Errorf("never sent: %v", left)
	}
}

// An unknown request gets no answer, as the protocol wants it, and nothing else
// happens.
func TestServe_UnknownRequests(t *testing.T) {
	l := newLab(t)
	for _, kind := range []string{"connect_request", "debug_request", "usage_request", "execute_reply", "x", "create_subshell_request"} {
		for _, socket := range []string{"shell", "control"} {
			if kind == "create_subshell_request" && socket == "control" {
				continue
			}
			e := l.Begun(socket, kind, map[string]any{"command": "debugInfo"})
			l.Until(e, func(m jupyter.Message) bool { return fronttest.State(m) == "idle" })
			select {
			case <-e.Replied():
				t.Errorf("%s is answered", kind)
			default:
			}
		}
	}
	l.OK("say it")
}

// A panic fails its own request only, and is logged.
func TestServe_Panics(t *testing.T) {
	l := newLab(t)
	l.Fails("panic oh", "Failed: this cell failed unexpectedly in jupyter_test.echo.Execute", "oh", "report it")
	if a := l.Ask("complete_request", jupyter.CompleteRequest{Code: "panic"}); !strings.Contains(string(a.Reply.Content),
		"complete_request failed unexpectedly") {
		t.Errorf("%s", a.Reply.Content)
	}
	if text := l.log.String(); strings.Count(text, "calls=") != 2 {
		t.Errorf("the log has %s", text)
	}
	l.OK("say it")
}

// History requests find the cells that were run, except those that were not to
// be stored.
func TestServe_History(t *testing.T) {
	l := newLab(t)
	for _, code := range []string{"say a", "b", "say a", "c"} {
		l.OK(code)
	}
	if r := l.Finish(l.Begun("shell", "execute_request", jupyter.ExecuteRequest{Code: "say x"})); r.Count != 4 || len(r.Of("execute_result")) != 1 ||
		len(r.Of("execute_input")) != 1 {
		t.Errorf("what is not stored: %d, %s", r.Count, r.Types())
	}
	r := l.Finish(l.Begun("shell", "execute_request", jupyter.ExecuteRequest{Code: "show x", Silent: true, StoreHistory: true}))
	for _, m := range r.Published {
		if m.Header.Type != "status" || r.Count != 4 {
			t.Errorf("a silent cell: %d, %s", r.Count, r.Types())
		}
	}
	for _, c := range []struct {
		request jupyter.HistoryRequest
		want    string
	}{
		{jupyter.HistoryRequest{Access: "tail", N: 2}, "[[0 3 say a] [0 4 c]]"},
		{jupyter.HistoryRequest{Access: "range", Start: 2, Stop: 4}, "[[0 2 b] [0 3 say a]]"},
		{jupyter.HistoryRequest{Access: "search", Pattern: "*", Unique: true}, "[[0 2 b] [0 3 say a] [0 4 c]]"},
		{jupyter.HistoryRequest{Access: "unknown"}, "[]"},
		{jupyter.HistoryRequest{Access: "range", Start: 3, Output: true}, "[[0 3 [say a say a]] [0 4 [c <nil>]]]"},
	} {
		var reply struct{ History [][]any }
		if l.Get("history_request", c.request, &reply); fmt.Sprint(reply.History) != c.want {
			t.Errorf("%+v finds %v, want %s", c.request, reply.History, c.want)
		}
	}
	if err := os.Remove(filepath.Join(filepath.Dir(l.Connection.IP), "history")); err != nil {
		t.Errorf("there is no file of it: %v", err)
	}
}

// Cells of one shell wait for each other. If one fails or is interrupted, the
// waiting ones are aborted and later ones are not.
func TestServe_AbortsWaitingCells(t *testing.T) {
	l := newLab(t)
	waiting := []*fronttest.Exchange{l.Begin("wait"), l.Begin("say a"), l.Begin("say b")}
	l.Ask("kernel_info_request", nil) // it came behind them, so they are there
	l.Interrupt()
	for i, want := range []string{"error", "aborted", "aborted"} {
		if r := l.Finish(waiting[i]); r.Status != want {
			t.Errorf("cell %d is %s, want %s", i, r.Status, want)
		}
	}
	l.OK("say it")
	failing := func(silent, stop bool) (behind string) {
		l.Begun("shell", "execute_request", jupyter.ExecuteRequest{Code: "fail", Silent: silent, StopOnError: stop})
		return l.Run("say it").Status
	}
	for _, c := range []struct {
		silent, stop bool
		want         string
	}{{false, true, "aborted"}, {false, false, "ok"}, {true, true, "ok"}} {
		if got := failing(c.silent, c.stop); got != c.want {
			t.Errorf("silent %t, stop_on_error %t: the cell behind is %s, want %s", c.silent, c.stop, got, c.want)
		}
	}
	running := l.Begin("wait twice")
	l.Until(running, fronttest.Says("waits"))
	for l.Interrupt(); ; l.Interrupt() { // as somebody does who does not want to wait
		select {
		case <-running.Replied():
			if r := l.Finish(running); r.Stream("stderr") != "again" {
				t.Errorf("meanwhile it says %q", r.Stream("stderr"))
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// While a cell runs, other requests are answered, and the last status is still
// busy.
func TestServe_AnswersWhileACellRuns(t *testing.T) {
	l := newLab(t)
	code := "wait"
	l.Ask("is_complete_request", jupyter.IsCompleteRequest{Code: code + "\n"})
	if r := l.Begin("say it"); l.Finish(r).Status != "ok" {
		t.Error("another cell")
	}
	l.Ask("is_complete_request", jupyter.IsCompleteRequest{Code: code})
	running := l.Begin(code)
	l.Until(running, fronttest.Says("waits, console: true")) // it was asked about right before it came
	for _, kind := range []string{"kernel_info", "history", "complete", "inspect", "comm_info"} {
		l.Ask(kind+"_request", map[string]any{})
	}
	l.AskControl("kernel_info_request", nil)
	busy := map[string]bool{}
	l.Until(running, func(m jupyter.Message) bool {
		if fronttest.State(m) == "busy" {
			busy[m.Header.ID] = true
		}
		return len(busy) > 6
	})
	l.Interrupt()
	l.HasFailed(code, l.Finish(running), "Interrupted")
	l.Until(l.Begin(code), fronttest.Says("console: false"))
}

// A cell asks its user. An answer that nobody asked for, or that comes too
// late, is dropped.
func TestServe_Input(t *testing.T) {
	l := newLab(t)
	e := l.Asking("ask more?")
	late := l.Question(e, "more?", false)
	l.Interrupt()
	l.HasFailed("ask", l.Finish(e), "Interrupted")
	l.Reply(late, "late")
	e = l.Asking("ask again?")
	question := l.Question(e, "again?", false)
	l.Reply(late, "late again")
	l.Reply(question, "in time")
	if r := l.Finish(e); r.Stream("stdout") != `{"value":"in time"}` {
		t.Error(r.Types())
	}
	e = l.Asking("ask once more?")
	l.Question(e, "once more?", false)
	l.Reply(jupyter.Message{}, "without a parent") // as jupyter_client has it
	if r := l.Finish(e); r.Stream("stdout") != `{"value":"without a parent"}` {
		t.Error(r.Types())
	}
}

func (l *lab) subshells() []string {
	var reply jupyter.SubshellsReply
	if err := l.AskControl("list_subshell_request", nil).Reply.Decode(&reply); err != nil {
		l.Fatal(err)
	}
	return reply.IDs
}

// Cells of several shells run at the same time and share one count. They are
// interrupted together, or one by name.
func TestServe_Subshells(t *testing.T) {
	l := newLab(t)
	if got := l.subshells(); len(got) != 0 {
		t.Errorf("at first there are %v", got)
	}
	a, b := l.Subshell(), l.Subshell()
	if got := l.subshells(); !slices.Equal(got, []string{a, b}) || a == b {
		t.Errorf("there are %v, want %s and %s", got, a, b)
	}
	cells := []*fronttest.Exchange{l.Begin("wait"), l.BeginIn(a, "wait"), l.BeginIn(b, "wait")}
	for _, e := range cells {
		l.Until(e, fronttest.Says("waits"))
	}
	l.Wait(l.BegunIn(fmt.Sprintf("%q", b), "control", "interrupt_request", nil))
	l.HasFailed("by name", l.Finish(cells[2]), "Interrupted")
	for _, e := range cells[:2] {
		select {
		case <-e.Replied():
			t.Error("another shell's cell has ended with it")
		case <-time.After(20 * time.Millisecond): // what is wrong shows at once; what is right passes
		}
	}
	if got := l.Finish(l.BeginIn(b, "say it")).Count; got != 4 {
		t.Errorf("the fourth cell has the number %d", got)
	}
	behind := l.BeginIn(a, "say it")
	l.Ask("kernel_info_request", nil) // it came behind it
	l.AskControl("delete_subshell_request", map[string]any{"subshell_id": a})
	if r := l.Finish(behind); r.Status != "aborted" {
		t.Errorf("what waits in a subshell that is deleted: %s", r.Status)
	}
	if got := l.subshells(); !slices.Equal(got, []string{b}) {
		t.Errorf("left are %v, want %s", got, b)
	}
	if r := l.Finish(l.BeginIn(a, "say it")); r.Status != "error" || !strings.Contains(r.Value, "there is no subshell") {
		t.Errorf("in a deleted one: %s %s", r.Status, r.Value)
	}
	l.Interrupt()
	for _, e := range cells[:2] { // also of the one whose shell is gone
		l.HasFailed("all", l.Finish(e), "Interrupted")
	}
}

// A malformed subshell_id is one line and changes nothing. kernel_info is
// answered all the same.
func TestServe_MalformedSubshells(t *testing.T) {
	l := newLab(t)
	for _, request := range []string{"shell execute", "shell complete", "shell inspect", "shell is_complete", "shell history", "shell comm_info",
		"control delete_subshell", "control interrupt"} {
		socket, kind, _ := strings.Cut(request, " ")
		var reply jupyter.ErrorReply
		a := l.Wait(l.BegunIn("3", socket, kind+"_request", map[string]any{"code": "say it", "subshell_id": 3}))
		if a.Reply.Decode(&reply) != nil || reply.Status != "error" || !strings.Contains(reply.Value, "subshell_id is 3") {
			t.Errorf("%s: %s", request, a.Reply.Content)
		}
	}
	if a := l.AskControl("delete_subshell_request", nil); !strings.Contains(string(a.Reply.Content), "no subshell is named") {
		t.Errorf("deleted by nothing: %s", a.Reply.Content)
	}
	l.Wait(l.BegunIn("3", "shell", "kernel_info_request", nil))
	l.Until(l.BegunIn("3", "shell", "comm_msg", map[string]any{"comm_id": "c"}), fronttest.Says("subshell_id is 3"))
	if got := l.OK("say it").Count; got != 1 {
		t.Errorf("the count is %d: refused cells were counted", got)
	}
}

// The end of the context ends the kernel, even while a cell runs, and the reply
// to that cell comes.
func TestServe_EndsWithContext(t *testing.T) {
	l := newLab(t)
	running := l.Begin("wait")
	l.Until(running, fronttest.Says("waits"))
	l.end()
	l.HasFailed("wait", l.Finish(running), "Interrupted")
	l.awaitEnd()
}
