package kernel

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/wire"
)

// asking runs a cell of a front end that can ask its user.
func (l *lab) asking(code string) *wire.Exchange {
	l.Helper()
	e, err := l.front.Start("execute_request", wire.ExecuteRequest{Code: code, StoreHistory: true, AllowStdin: true})
	if err != nil {
		l.Fatal(err)
	}
	return e
}

// question waits for what a cell asks.
func (l *lab) question(e *wire.Exchange, prompt string, secret bool) wire.Message {
	l.Helper()
	select {
	case m := <-l.client.Stdin():
		var request wire.InputRequest
		if err := m.Decode(&request); err != nil || m.Header.Type != "input_request" ||
			m.ParentID() != e.Request.Header.ID || !strings.Contains(request.Prompt, prompt) || request.Password != secret {
			l.Errorf("asked was %s of %s, %v", m.Content, m.Parent, err)
		}
		if err := specified(m); err != nil {
			l.Error(err)
		}
		return m
	case <-time.After(limit):
		l.Fatal("nothing was asked")
	}
	return wire.Message{}
}

func (l *lab) answer(m wire.Message) {
	l.Helper()
	if err := l.client.SendStdin(m); err != nil {
		l.Fatal(err)
	}
}

// unasked answers where nothing was asked, and waits until the kernel has taken notice: it reads answers and cells side by side, and one
// that it reads late would be the first question's.
func (l *lab) unasked(value string) {
	l.Helper()
	l.answer(l.client.Request("input_reply", wire.InputReply{Value: value}))
	read := make(chan struct{})
	var hook func(wire.Message)
	hook = func(m wire.Message) {
		if !strings.Contains(string(m.Content), "behind it") { // it was read late
			l.kernel.questions.ask("", hook)
			return
		}
		close(read)
	}
	l.kernel.questions.ask("", hook)
	l.answer(l.client.Request("input_reply", wire.InputReply{Value: "behind it"}))
	select {
	case <-read:
	case <-time.After(limit):
		l.Fatal("answers are not read")
	}
}

func TestInput(t *testing.T) {
	l := newGoLab(t)
	l.unasked("nobody asked")
	e := l.asking("%with_inputs\n!read x; echo got $x")
	question := l.question(e, "", false)
	l.answer(question.Answer("client", "input_reply", wire.InputReply{Value: "seven"}))
	if r := l.finish(e); r.stream("stdout") != "got seven\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A Go cell asks, twice; jupyter_client's answers have no parent.
	e = l.asking("%%\nfmt.Println(widgets.Ask(\"whose data? \"), widgets.AskSecretly(\"password: \"))")
	l.question(e, "whose data? ", false)
	l.answer(l.client.Request("input_reply", wire.InputReply{Value: "mine"}))
	l.question(e, "password: ", true)
	l.answer(l.client.Request("input_reply", wire.InputReply{Value: "x <> y"}))
	if r := l.finish(e); r.stream("stdout") != "mine x <> y\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A question that is interrupted; its answer comes too late, and is not the next cell's.
	e = l.asking("%%\nwidgets.Ask(\"more? \")")
	late := l.question(e, "more? ", false)
	l.askControl("interrupt_request", nil)
	l.failed("interrupted", l.finish(e), "Interrupted")
	l.answer(late.Answer("client", "input_reply", wire.InputReply{Value: "late"}))
	e = l.asking("%%\nfmt.Println(widgets.Ask(\"again? \"))")
	question = l.question(e, "again? ", false)
	l.answer(late.Answer("client", "input_reply", wire.InputReply{Value: "late again"}))
	l.answer(question.Answer("client", "input_reply", wire.InputReply{Value: "in time"}))
	if r := l.finish(e); r.stream("stdout") != "in time\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A front end that cannot ask is not asked.
	if r := l.run("%with_inputs\n!read x; echo got $x"); !strings.Contains(r.stream("stderr"), "cannot give") {
		t.Errorf("%s", types(r.Answer))
	}
	l.fails("%%\nwidgets.Ask(\"name? \")", "cannot ask", "name? ")
	select {
	case m := <-l.client.Stdin():
		t.Errorf("%s %s", m.Header.Type, m.Content)
	default:
	}
	l.ok("%%\nfmt.Println(1)")
}

// slowToListen is a home with a GoNB that works for a while between sending a question and listening for its answer, as any does on a busy
// machine, where its thread is stopped there for another program's sake.
func slowToListen(t *testing.T) string {
	t.Helper()
	const work = "\tfor begun := time.Now(); time.Since(begun) < 300*time.Millisecond; {\n\t}\n"
	tools, err := toolchain.Find(installation.Home())
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	if testing.Short() {
		t.Skip("NOT TESTED: builds a GoNB of its own")
	}
	recipe := filepath.Join(repository(t), "install", "gonb")
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(tools.Go, args...)
		cmd.Dir, cmd.Env = recipe, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("NOT TESTED: GoNB's source is not at hand: go %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(run("mod", "download", "-json", "github.com/janpfeifer/gonb"), &module); err != nil {
		t.Fatal(err)
	}
	source, bin := filepath.Join(t.TempDir(), "gonb"), filepath.Join(t.TempDir(), "bin")
	for _, part := range []string{"cache", "common", "gonbui", "internal", "version"} {
		if err := os.CopyFS(filepath.Join(source, part), os.DirFS(filepath.Join(module.Dir, part))); err != nil {
			t.Fatal(err)
		}
	}
	copied := func(from, to string, change func(string) string) {
		t.Helper()
		text, err := os.ReadFile(from)
		if err == nil {
			os.Remove(to) // which is as read-only as a module's
			err = os.WriteFile(to, []byte(change(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	same := func(text string) string { return text }
	for _, name := range []string{"go.mod", "go.sum", "main.go", "version.go"} {
		copied(filepath.Join(module.Dir, name), filepath.Join(source, name), same)
	}
	messages := filepath.Join(source, "internal", "kernel", "messages.go")
	copied(messages, messages, func(text string) string {
		const listens = "\t// Register callback.\n"
		if strings.Count(text, listens) != 1 {
			t.Skip("NOT TESTED: this GoNB listens elsewhere")
		}
		return strings.Replace(text, listens, work+listens, 1)
	})
	other := filepath.Join(t.TempDir(), "go.mod")
	copied(filepath.Join(recipe, "go.mod"), other, func(text string) string {
		return text + "\nreplace github.com/janpfeifer/gonb => " + source + "\n"
	})
	copied(filepath.Join(recipe, "go.sum"), strings.TrimSuffix(other, "mod")+"sum", same)
	run("build", "-trimpath", "-buildvcs=false", "-modfile", other, "-o", filepath.Join(bin, "gonb"), "github.com/janpfeifer/gonb")
	for _, tool := range []string{tools.Goimports, tools.Go} {
		if err := os.Symlink(tool, filepath.Join(bin, filepath.Base(tool))); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Dir(bin)
}

// GoNB drops an answer that comes before it listens, and its cell never ends.
func TestAnAnswerWaitsUntilGoNBListens(t *testing.T) {
	l := newGoLabWith(t, Options{Home: slowToListen(t)})
	for _, word := range []string{"seven", "eight"} {
		e := l.asking("%with_inputs\n!read x; echo got $x")
		question := l.question(e, "", false)
		l.answer(question.Answer("client", "input_reply", wire.InputReply{Value: word}))
		if r := l.finish(e); r.stream("stdout") != "got "+word+"\n" {
			t.Errorf("%s", types(r.Answer))
		}
	}
}
