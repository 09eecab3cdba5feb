// Package fronttest is a small Jupyter front end for tests. It sends requests
// over the wire and keeps their answers apart. Start reading with [Lab] in
// lab.go: tests use it, and it checks every message with protocol.go.
package fronttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"fsnetlab/kernel/jupyter"
)

// Front is a small front end. It keeps the messages of each request apart.
type Front struct {
	client *jupyter.Client

	mu        sync.Mutex
	exchanges map[string]*Exchange // by message id
	rest      []jupyter.Message    // published, without a request
}

// Exchange is a request with its answers.
type Exchange struct {
	Request jupyter.Message

	requestSocket string
	mu            sync.Mutex
	replySocket   string
	published     []jupyter.Message
	reply         *jupyter.Message
	replied       chan struct{} // closed when the reply arrives
	idle          bool
	news          chan struct{} // closed and replaced at each message
}

// Answer is a finished exchange.
type Answer struct {
	Reply         jupyter.Message
	Published     []jupyter.Message // from busy to idle
	RequestSocket string            // "shell" or "control"
	ReplySocket   string
}

// Meet connects to a starting kernel and waits for one complete answer. The
// caller must close the front.
func Meet(ctx context.Context, c jupyter.Connection) (*Front, error) {
	client, err := jupyter.DialStarting(ctx, c)
	if err != nil {
		return nil, err
	}
	front := NewFront(client)
	if _, err := front.Ask(ctx, "kernel_info_request", nil); err != nil {
		front.Close()
		return nil, err
	}
	return front, nil
}

// Client returns the connection behind the front.
func (f *Front) Client() *jupyter.Client { return f.client }

// Close ends the connection.
func (f *Front) Close() { f.client.Close() }

// NewFront receives a client's messages until the client ends.
func NewFront(c *jupyter.Client) *Front {
	f := &Front{client: c, exchanges: map[string]*Exchange{}}
	go func() {
		for {
			select {
			case m := <-c.Shell():
				f.store(m, "shell")
			case m := <-c.Control():
				f.store(m, "control")
			case m := <-c.IOPub():
				f.store(m, "")
			case <-c.Done():
				return
			}
		}
	}()
	return f
}

// store files a message with the exchange of the request that it answers, or in
// rest if no exchange is open for it. socket is the socket of a reply, or "" for
// a message published on iopub.
func (f *Front) store(m jupyter.Message, socket string) {
	f.mu.Lock()
	e := f.exchanges[m.ParentID()]
	if e == nil {
		f.rest = append(f.rest, m)
	}
	f.mu.Unlock()
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if socket != "" {
		if e.reply == nil {
			close(e.replied)
		}
		e.reply, e.replySocket = &m, socket
	} else {
		e.published = append(e.published, m)
		var status jupyter.Status
		if m.Header.Type == "status" && m.Decode(&status) == nil && status.State == "idle" {
			e.idle = true
		}
	}
	close(e.news)
	e.news = make(chan struct{})
}

// Start sends a request on the shell socket.
func (f *Front) Start(messageType string, content any) (*Exchange, error) {
	return f.Send("shell", f.client.Request(messageType, content))
}

// StartControl sends a request on the control socket.
func (f *Front) StartControl(messageType string, content any) (*Exchange, error) {
	return f.Send("control", f.client.Request(messageType, content))
}

// Send sends a request made elsewhere on a socket, "shell" or "control".
func (f *Front) Send(socket string, request jupyter.Message) (*Exchange, error) {
	send := f.client.SendShell
	if socket == "control" {
		send = f.client.SendControl
	}
	e := &Exchange{Request: request, requestSocket: socket, replied: make(chan struct{}), news: make(chan struct{})}
	f.mu.Lock()
	f.exchanges[request.Header.ID] = e
	f.mu.Unlock()
	return e, send(request)
}

// Ask sends a request on the shell socket and waits for its answer.
func (f *Front) Ask(ctx context.Context, messageType string, content any) (Answer, error) {
	e, err := f.Start(messageType, content)
	if err != nil {
		return Answer{}, err
	}
	return e.Wait(ctx)
}

// Execute runs a cell as a notebook does.
func (f *Front) Execute(ctx context.Context, code string) (Answer, error) {
	return f.Ask(ctx, "execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, StopOnError: true, AllowStdin: true})
}

// Unasked returns what was published other than for this front's requests.
func (f *Front) Unasked() []jupyter.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]jupyter.Message{}, f.rest...)
}

// Wait waits for the reply and for idle.
func (e *Exchange) Wait(ctx context.Context) (Answer, error) {
	err := e.until(ctx, func() bool { return e.reply != nil && e.idle })
	return e.Now(), err
}

// Now returns the messages so far.
func (e *Exchange) Now() Answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := Answer{Published: append([]jupyter.Message{}, e.published...), RequestSocket: e.requestSocket, ReplySocket: e.replySocket}
	if e.reply != nil {
		a.Reply = *e.reply
	}
	return a
}

// Replied returns a channel that closes when the reply arrives.
func (e *Exchange) Replied() <-chan struct{} { return e.replied }

// Until waits for a published message for which fits returns true.
func (e *Exchange) Until(ctx context.Context, fits func(jupyter.Message) bool) error {
	return e.until(ctx, func() bool { return slices.ContainsFunc(e.published, fits) })
}

// until waits for a condition. It checks the condition under the lock.
func (e *Exchange) until(ctx context.Context, condition func() bool) error {
	for {
		e.mu.Lock()
		ok, news := condition(), e.news
		e.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", e.Request.Header.Type, ctx.Err())
		}
	}
}

// Of returns the published messages of a type.
func (a Answer) Of(messageType string) []jupyter.Message {
	var list []jupyter.Message
	for _, m := range a.Published {
		if m.Header.Type == messageType {
			list = append(list, m)
		}
	}
	return list
}
