package kernel

import (
	"context"
	"encoding/json"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/jupyter"
)

// questions is what the running cell has asked the user, if anything. There is one at a time, since many front ends do not say which one an
// answer is for.
type questions struct {
	mu     sync.Mutex
	id     string                // of the input_request
	answer func(jupyter.Message) // nil: nothing is asked
}

// ask notes a question; false: another one is open.
func (q *questions) ask(id string, answer func(jupyter.Message)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answer != nil {
		return false
	}
	q.id, q.answer = id, answer
	return true
}

// take gives whom an answer is for, or nil where that was not asked. A front end that says what it answers is believed.
func (q *questions) take(m jupyter.Message) func(jupyter.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.ParentType() == "input_request" && m.ParentID() != q.id {
		return nil
	}
	answer := q.answer
	q.answer = nil
	return answer
}

// withdraw forgets a question, or "" whatever is asked: what a cell that has ended wanted to know is not told to the next one.
func (q *questions) withdraw(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if id == "" || id == q.id {
		q.answer = nil
	}
}

// readStdin passes the user's input on to what asked for it.
func (k *Kernel) readStdin() {
	for m := range k.server.Stdin.Messages() {
		if m.Header.Type != "input_reply" {
			continue
		}
		if answer := k.questions.take(m); answer != nil {
			answer(m)
		}
	}
}

// ask passes a question of GoNB's on to the front end that runs the cell. GoNB may ask when the cell has just ended.
func (k *Kernel) ask(e *execution, m jupyter.Message) {
	child := k.gonb.keeper.Current()
	if child == nil || !k.runs(e) {
		return
	}
	k.questions.withdraw("") // GoNB asks again only where it has given up the question before
	k.pose(e, m.Content, child.Input)
}

// pose shows a question to who runs a cell, and notes it until withdraw is called or the cell ends. posed is false where another one is
// open, or the cell has ended.
func (k *Kernel) pose(e *execution, content any, answer func(jupyter.Message)) (withdraw func(), posed bool) {
	question := e.parent.Reply(k.session, "input_request", content)
	if !k.questions.ask(question.Header.ID, answer) {
		return func() {}, false
	}
	withdraw = func() { k.questions.withdraw(question.Header.ID) }
	if !k.runs(e) { // it has ended meanwhile
		withdraw()
		return withdraw, false
	}
	k.server.Stdin.Send(question)
	return withdraw, true
}

// input asks the user for a line, for a Go cell: {"prompt":…, "password":…} gives the line.
func (k *Kernel) input(ctx context.Context, params json.RawMessage) (any, error) {
	var request jupyter.InputRequest
	if err := json.Unmarshal(params, &request); err != nil {
		return nil, fault.Wrap(err, fault.Request, `send {"prompt":"name: "}`, "the parameters of a question")
	}
	e := k.cellOf(ctx)
	switch {
	case e == nil:
		return nil, k.nobody(ctx, "to ask")
	case !e.request.AllowStdin:
		return nil, fault.New(fault.Request, "give the value in the cell", "this front end cannot ask for input (%q)", request.Prompt)
	}
	answers := make(chan jupyter.Message, 1)
	withdraw, posed := k.pose(e, request, func(m jupyter.Message) { answers <- m })
	defer withdraw()
	if !posed {
		return nil, fault.New(fault.Busy, "ask one after the other", "another question is open, or the cell has ended")
	}
	select {
	case m := <-answers:
		var reply jupyter.InputReply
		if err := m.Decode(&reply); err != nil {
			return nil, fault.Wrap(err, fault.Request, "", "the answer")
		}
		return reply.Value, nil
	case <-e.context.Done():
	case <-ctx.Done():
	}
	return nil, fault.New(fault.Interrupted, "", "interrupted: the question %q was not answered", request.Prompt)
}
