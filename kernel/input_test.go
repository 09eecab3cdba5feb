package kernel

import (
	"strings"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// asking runs a cell of a front end that can ask its user.
func (l *lab) asking(code string) *fronttest.Exchange {
	l.Helper()
	e, err := l.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, AllowStdin: true})
	if err != nil {
		l.Fatal(err)
	}
	return e
}

// question waits for what a cell asks.
func (l *lab) question(e *fronttest.Exchange, prompt string, secret bool) jupyter.Message {
	l.Helper()
	select {
	case m := <-l.client.Stdin():
		var request jupyter.InputRequest
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
	return jupyter.Message{}
}

func (l *lab) answer(m jupyter.Message) {
	l.Helper()
	if err := l.client.SendStdin(m); err != nil {
		l.Fatal(err)
	}
}

// unasked answers where nothing was asked, and waits until the kernel has taken notice: it reads answers and cells side by side, and one
// that it reads late would be the first question's.
func (l *lab) unasked(value string) {
	l.Helper()
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: value}))
	read := make(chan struct{})
	var hook func(jupyter.Message)
	hook = func(m jupyter.Message) {
		if !strings.Contains(string(m.Content), "behind it") { // it was read late
			l.kernel.questions.ask("", hook)
			return
		}
		close(read)
	}
	l.kernel.questions.ask("", hook)
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: "behind it"}))
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
	l.answer(question.Answer("client", "input_reply", jupyter.InputReply{Value: "seven"}))
	if r := l.finish(e); r.stream("stdout") != "got seven\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A Go cell asks, twice; jupyter_client's answers have no parent.
	e = l.asking("%%\nfmt.Println(widgets.Ask(\"whose data? \"), widgets.AskSecretly(\"password: \"))")
	l.question(e, "whose data? ", false)
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: "mine"}))
	l.question(e, "password: ", true)
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: "x <> y"}))
	if r := l.finish(e); r.stream("stdout") != "mine x <> y\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A question that is interrupted; its answer comes too late, and is not the next cell's.
	e = l.asking("%%\nwidgets.Ask(\"more? \")")
	late := l.question(e, "more? ", false)
	l.askControl("interrupt_request", nil)
	l.failed("interrupted", l.finish(e), "Interrupted")
	l.answer(late.Answer("client", "input_reply", jupyter.InputReply{Value: "late"}))
	e = l.asking("%%\nfmt.Println(widgets.Ask(\"again? \"))")
	question = l.question(e, "again? ", false)
	l.answer(late.Answer("client", "input_reply", jupyter.InputReply{Value: "late again"}))
	l.answer(question.Answer("client", "input_reply", jupyter.InputReply{Value: "in time"}))
	if r := l.finish(e); r.stream("stdout") != "in time\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A front end that cannot ask is not asked.
	l.fails("%%\nwidgets.Ask(\"name? \")", "cannot ask", "name? ")
	select {
	case m := <-l.client.Stdin():
		t.Errorf("%s %s", m.Header.Type, m.Content)
	default:
	}
	l.ok("%%\nfmt.Println(1)")
}
