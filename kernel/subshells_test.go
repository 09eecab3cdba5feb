package kernel

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// send sends a request whose header has a subshell_id, which is given as JSON.
func (l *lab) send(socket, subshell, kind string, content any) *fronttest.Exchange {
	l.Helper()
	m := l.client.Request(kind, content)
	header := map[string]any{}
	if err := json.Unmarshal(m.HeaderJSON(), &header); err != nil {
		l.Fatal(err)
	}
	header["subshell_id"] = json.RawMessage(subshell)
	var err error
	if m.RawHeader, err = json.Marshal(header); err != nil {
		l.Fatal(err)
	}
	e, err := l.front.Send(socket, m)
	if err != nil {
		l.Fatal(err)
	}
	return e
}

func (l *lab) createSubshell() (id string) {
	l.Helper()
	var reply jupyter.SubshellReply
	if a := l.askControl("create_subshell_request", nil); a.Reply.Decode(&reply) != nil || reply.Status != "ok" || reply.ID == "" {
		l.Fatalf("a subshell is not made: %s", a.Reply.Content)
	}
	return reply.ID
}

func (l *lab) listSubshells() []string {
	l.Helper()
	var reply jupyter.SubshellsReply
	if err := l.askControl("list_subshell_request", nil).Reply.Decode(&reply); err != nil {
		l.Fatal(err)
	}
	return reply.IDs
}

// beginIn starts a cell in a subshell.
func (l *lab) beginIn(subshell, code string) *fronttest.Exchange {
	l.Helper()
	return l.send("shell", fmt.Sprintf("%q", subshell), "execute_request",
		jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true})
}

func TestSubshellsAreMadeListedAndDeleted(t *testing.T) {
	l := newLab(t)
	if got := l.listSubshells(); len(got) != 0 {
		t.Errorf("at first there are %v", got)
	}
	a, b := l.createSubshell(), l.createSubshell()
	if got := l.listSubshells(); !slices.Equal(got, []string{a, b}) || a == b {
		t.Errorf("there are %v, want %s and %s", got, a, b)
	}
	for _, id := range []string{a, b, a} {
		if r := l.finish(l.beginIn(id, "%fsnet version")); r.reply.Status != "ok" {
			t.Errorf("in %s: %s", id, r.reply.Value)
		}
	}
	if got := l.ok("%fsnet version").reply.Count; got != 4 {
		t.Errorf("the count of the main shell's cell is %d, want 4: all shells count together", got)
	}
	l.askControl("delete_subshell_request", map[string]any{"subshell_id": a})
	if got := l.listSubshells(); !slices.Equal(got, []string{b}) {
		t.Errorf("left are %v, want %s", got, b)
	}
	if r := l.finish(l.beginIn(a, "%fsnet version")); r.reply.Status != "error" || !strings.Contains(r.reply.Value, "there is no subshell") {
		t.Errorf("in a deleted one: %s %s", r.reply.Status, r.reply.Value)
	}
	if r := l.finish(l.beginIn(b, "%fsnet version")); r.reply.Status != "ok" {
		t.Errorf("in the other one: %s", r.reply.Value)
	}
}

// What a subshell_id may not be is said in one line, and changes nothing.
func TestMalformedSubshells(t *testing.T) {
	l := newLab(t)
	made := l.createSubshell()
	for _, raw := range []string{
		`3`, `""`, `[]`, `{"a":1}`, `true`, `"nobody"`, `"` + strings.Repeat("x", 100_000) + `"`, `"a\nb\u0000"`, `["` + made + `"]`,
	} {
		for _, kind := range []string{"execute", "complete", "inspect", "is_complete", "history", "comm_info"} {
			var reply jupyter.ErrorReply
			a := l.wait(l.send("shell", raw, kind+"_request", jupyter.ExecuteRequest{Code: "%fsnet version", StoreHistory: true}))
			if a.Reply.Decode(&reply) != nil || reply.Status != "error" || strings.Contains(reply.Value, "\n") ||
				len(reply.Value) > 300 || !strings.Contains(reply.Value, "subshell") {
				t.Errorf("%.40s, %s: %.400s", raw, kind, a.Reply.Content)
			}
		}
		for _, kind := range []string{"delete_subshell_request", "interrupt_request"} {
			var reply jupyter.ErrorReply
			a := l.wait(l.send("control", raw, kind, map[string]any{"subshell_id": json.RawMessage(raw)}))
			if a.Reply.Decode(&reply) != nil || reply.Status != "error" || strings.Contains(reply.Value, "\n") || len(reply.Value) > 300 {
				t.Errorf("%.40s, %s: %.400s", raw, kind, a.Reply.Content)
			}
		}
		if a := l.wait(l.send("shell", raw, "kernel_info_request", nil)); !strings.Contains(string(a.Reply.Content), jupyter.ProtocolVersion) {
			t.Errorf("%.40s: kernel_info is not answered", raw)
		}
	}
	for _, content := range []any{nil, map[string]any{"subshell_id": nil}, map[string]any{"subshell_id": []any{made}}} {
		if a := l.askControl("delete_subshell_request", content); !strings.Contains(string(a.Reply.Content), `"error"`) {
			t.Errorf("deleted by %v: %s", content, a.Reply.Content)
		}
	}
	odd := l.send("shell", "3", "comm_msg", map[string]any{"comm_id": "c", "data": map[string]any{}})
	if err := odd.Until(l.context(), func(m jupyter.Message) bool { return state(m) == "idle" }); err != nil {
		t.Fatal(err)
	}
	if said := odd.Now().Of("stream"); len(said) != 1 || !strings.Contains(string(said[0].Content), "subshell_id is 3") {
		t.Errorf("a comm's message in subshell 3: %v", types(odd.Now()))
	}
	if got := l.listSubshells(); !slices.Equal(got, []string{made}) {
		t.Errorf("there are %v, want %s", got, made)
	}
	if got := l.ok("%fsnet version").reply.Count; got != 1 {
		t.Errorf("the count is %d: refused cells were counted", got)
	}
}

func TestSubshellsAreBounded(t *testing.T) {
	l := newLab(t)
	var ids []string
	for range 64 {
		ids = append(ids, l.createSubshell())
	}
	var reply jupyter.ErrorReply
	if a := l.askControl("create_subshell_request", nil); a.Reply.Decode(&reply) != nil ||
		reply.Status != "error" || !strings.Contains(reply.Value, "64") {
		t.Errorf("one more: %s", a.Reply.Content)
	}
	l.askControl("delete_subshell_request", map[string]any{"subshell_id": ids[7]})
	l.createSubshell()
}

// While a Go cell computes, a subshell answers %fsnet lines, completion and inspection; a Go cell there says that it waits, and waits.
func TestSubshellAnswersDuringAGoCell(t *testing.T) {
	l := newGoLab(t)
	l.ok(openLong)
	shell, other := l.createSubshell(), l.createSubshell()
	here := filepath.Join(t.TempDir(), "go on")
	computing := l.begin("%%\nfmt.Println(\"computing\")\nfor {\n\tif _, err := os.Stat(" + fmt.Sprintf("%q", here) +
		"); err == nil {\n\t\tbreak\n\t}\n\ttime.Sleep(time.Millisecond)\n}\nfmt.Println(\"computed\")")
	if err := computing.Until(l.context(), says("computing")); err != nil {
		t.Fatal(err)
	}
	r := l.finish(l.beginIn(shell, "%fsnet step 5\n%fsnet status"))
	if texts := r.texts(); r.reply.Status != "ok" || !strings.Contains(texts[len(texts)-1], "step 5 ") {
		t.Errorf("%%fsnet lines in the subshell: %s %q", r.reply.Value, texts)
	}
	if r.reply.Count != 3 {
		t.Errorf("its count is %d, want 3", r.reply.Count)
	}
	quotedID := fmt.Sprintf("%q", shell)
	for kind, want := range map[string]string{"complete_request": "status", "inspect_request": "where the training is"} {
		a := l.wait(l.send("shell", quotedID, kind, jupyter.CompleteRequest{Code: "%fsnet status", CursorPos: 13}))
		if !strings.Contains(string(a.Reply.Content), want) {
			t.Errorf("%s: %s", kind, a.Reply.Content)
		}
	}
	waiting := l.beginIn(shell, "%%\nfmt.Println(\"my turn\")")
	behind := l.beginIn(shell, "%fsnet version")
	given := l.beginIn(other, "%%\nfmt.Println(\"never\")")
	for _, e := range []*fronttest.Exchange{waiting, given} {
		if err := e.Until(l.context(), says("this cell waits")); err != nil {
			t.Fatal(err)
		}
	}
	// An interrupt that names a subshell is that one's alone.
	l.wait(l.send("control", fmt.Sprintf("%q", other), "interrupt_request", nil))
	if r := l.finish(given); r.reply.Name != "Interrupted" {
		t.Errorf("the cell that gave up waiting: %+v", r.reply)
	}
	select {
	case <-computing.Replied():
		t.Error("the main shell's cell has ended with it")
	case <-waiting.Replied():
		t.Error("the Go cell did not wait")
	case <-behind.Replied():
		t.Error("cells of one subshell do not wait for each other")
	case <-time.After(50 * time.Millisecond): // what is wrong shows at once; what is right passes
	}
	if err := os.WriteFile(here, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := l.finish(computing), l.finish(waiting)
	if !strings.Contains(first.stream("stdout"), "computed") || !strings.Contains(second.stream("stdout"), "my turn") {
		t.Errorf("%q, then %q", first.stream("stdout"), second.stream("stdout"))
	}
	if first.reply.Count != 2 || second.reply.Count <= 3 {
		t.Errorf("counted %d and %d", first.reply.Count, second.reply.Count)
	}
	l.finish(behind)
	// GoNB counts as the kernel does, whatever the order in which cells came.
	l.finish(l.beginIn(other, "func broken() int { return missing }"))
	if r := l.finish(l.beginIn(other, "func twice(x int) int {\n\treturn []int{x}[x]\n}")); r.reply.Status != "ok" {
		t.Fatalf("%+v", r.reply)
	} else if failed := strings.Join(l.run("%%\ntwice(1)").reply.Traceback, "\n"); !strings.Contains(
		failed, fmt.Sprintf("cell [%d] line 2", r.reply.Count)) {
		t.Errorf("the error names %q, want cell [%d]", failed, r.reply.Count)
	}
}

// One Go cell and a run in a subshell: an interrupt without a name ends both.
func TestInterruptReachesAllShells(t *testing.T) {
	l := newGoLab(t)
	l.ok(openLong)
	shell := l.createSubshell()
	computing := l.begin("%%\nfmt.Println(\"computing\")\nselect {}")
	run := l.beginIn(shell, "%fsnet run")
	if err := computing.Until(l.context(), says("computing")); err != nil {
		t.Fatal(err)
	}
	if err := run.Until(l.context(), advances); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	l.finish(computing)
	if r := l.finish(run); r.reply.Status != "ok" || !strings.Contains(strings.Join(r.texts(), ""), "paused") {
		t.Errorf("the run in the subshell: %+v %q", r.reply, r.texts())
	}
}

// What waits in a subshell that is deleted is answered; what runs there goes on.
func TestDeletedSubshellAnswersWhatWaits(t *testing.T) {
	l := newLab(t)
	l.ok(openLong)
	shell := l.createSubshell()
	run := l.beginIn(shell, "%fsnet run")
	behind := l.beginIn(shell, "%fsnet version")
	if err := run.Until(l.context(), advances); err != nil {
		t.Fatal(err)
	}
	l.askControl("delete_subshell_request", map[string]any{"subshell_id": shell})
	if r := l.finish(behind); r.reply.Status != "aborted" {
		t.Errorf("the cell that waited: %+v", r.reply)
	}
	if r := l.ok("%fsnet status"); !strings.Contains(r.texts()[0], "running") {
		t.Errorf("the run has ended with its subshell: %q", r.texts())
	}
	l.ok("%fsnet pause")
	l.finish(run)
}

// says fits output that has a text in it.
func says(text string) func(jupyter.Message) bool {
	return func(m jupyter.Message) bool {
		return m.Header.Type == "stream" && strings.Contains(string(m.Content), text)
	}
}

// advances fits what a run shows once it makes steps.
func advances(m jupyter.Message) bool { return m.Header.Type == "update_display_data" }
