package gonb

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

// Cell is one Go cell to run.
type Cell struct {
	Request    jupyter.Message       // the front end's execute_request: its header becomes the parent of the outputs
	Code       string                // what GoNB gets: the cell without the kernel's own lines
	Whole      string                // the cell as its user sees it, of the same lines; "": nobody does
	Count      int                   // the kernel's execution count
	Number     int                   // of all cells that were run
	AllowStdin bool                  // the front end can ask the user for input
	Publish    func(jupyter.Message) // outputs: stream, display_data, …; also some that come after the reply
	Ask        func(jupyter.Message) // an input_request; Input answers it
	// CallerSignals says that whoever ends the context interrupts the cell's processes itself. GoNB would do so, too, and kill the cell five
	// seconds later, whatever it is still doing.
	CallerSignals bool
	ShowLast      bool         // the value of the last expression is shown
	Timing        *cell.Timing // the body, or a statement instead of it, is timed; nil: it is run

	rewritten string // what GoNB gets instead of Code, of the same lines
}

// pending is a request that waits for its reply, or a cell whose output may still arrive.
type pending struct {
	cell   *Cell
	errors errorFilter
	reply  chan jupyter.Message
	idle   chan struct{} // closed once GoNB has published all it had to
}

const (
	interruptAgain = 200 * time.Millisecond
	idleLimit      = 4 * time.Second // GoNB publishes idle right after its reply, and after what the cell wrote
	lateCells      = 8
)

// Prepare runs the hidden first cell where that is not done yet, as it is again after %reset. It gives what is wrong with it, for people.
// When the context ends GoNB has a while to end it, too.
func (c *Child) Prepare(ctx context.Context) (wrong string, err error) {
	if err := c.enter(ctx); err != nil {
		return "", err
	}
	defer c.executing.Release()
	if c.prepared {
		return "", nil
	}
	over := make(chan struct{})
	defer close(over)
	go c.AbandonUnless(over, ctx.Done(), func() string { return "" })
	reply, err := c.execute(ctx,
		Cell{Request: jupyter.NewMessage(jupyter.NewID(), "execute_request", nil), Code: c.workspace.prelude(),
			Publish: func(jupyter.Message) {}})
	if err != nil || ctx.Err() != nil {
		return "", nil // the next cell tells, or tries again
	}
	c.remembering.Lock()
	defer c.remembering.Unlock()
	c.prepared = true
	return reply.Value, nil
}

func (c *Child) enter(ctx context.Context) error {
	if c.executing.Acquire(ctx) != nil {
		return errs.New(errs.Interrupted, "", "waiting for gonb was interrupted")
	}
	return nil
}

// Execute runs a cell and returns when it has ended and what it published was passed on. When the context ends, the cell is
// interrupted: without CallerSignals GoNB sends it SIGINT, and SIGKILL five seconds later. Kind Unavailable: GoNB has died, or does not
// answer.
func (c *Child) Execute(ctx context.Context, cell Cell) (jupyter.ErrorReply, error) {
	if err := c.enter(ctx); err != nil {
		return jupyter.ErrorReply{}, err
	}
	defer c.executing.Release()
	return c.execute(ctx, cell)
}

func (c *Child) execute(ctx context.Context, cell Cell) (jupyter.ErrorReply, error) {
	defer c.listen()()
	if err := c.rewrite(&cell); err != nil {
		return jupyter.ErrorReply{}, err
	}
	from := c.begin(&cell)
	compiled := false
	defer func() { c.end(&cell, compiled) }()
	p, err := c.send(cell.Request, request{
		jupyter.ExecuteRequest{
			Code: cell.marked(), Silent: true, UserExpressions: map[string]string{}, AllowStdin: cell.AllowStdin,
		}, cell.id(),
	}, &cell, from)
	if err != nil {
		return jupyter.ErrorReply{}, err
	}
	defer c.keepLate(cell.Request.Header.ID)
	message, err := c.interruptibly(ctx, p, cell.CallerSignals)
	if err != nil {
		p.release()
		return jupyter.ErrorReply{}, err
	}
	c.awaitOutput(ctx, p.idle)
	process.FreePipes(c.workspace.temp(), pipePrefix)
	var content struct {
		jupyter.ErrorReply
		Directory  string  `json:"directory"` // where the next cell runs
		Remembered *goFile `json:"remembered"`
	}
	if err := message.Decode(&content); err != nil {
		return jupyter.ErrorReply{}, err
	}
	c.workspace.moveTo(content.Directory)
	compiled = hasRun(content.ErrorReply)
	reply := finish(p, content.ErrorReply, ctx.Err() != nil)
	c.remembering.Lock()
	defer c.remembering.Unlock()
	if content.Remembered != nil {
		c.memory.goFile = *content.Remembered
	}
	return reply, nil
}

// request is what GoNB gets: the number of the cell, by which it leads lines back, comes with it.
type request struct {
	jupyter.ExecuteRequest
	Number int `json:"execution_count"`
}

// id is the cell's number for GoNB. A program of the kernel's own has another than the cell that it belongs to.
func (c *Cell) id() int {
	if c.Whole == "" {
		return -2 - c.Number
	}
	return c.Number
}

// Flush returns once everything that the running cell has written so far was passed on.
func (c *Child) Flush(ctx context.Context) {
	request := c.client.Request("flush_request", struct{}{})
	p := &pending{idle: make(chan struct{})}
	c.mu.Lock()
	c.pending[request.Header.ID] = p
	cell := c.current
	c.mu.Unlock()
	defer c.forget(request.Header.ID)
	if c.client.SendControl(request) != nil {
		return // Done tells when GoNB has gone
	}
	c.awaitOutput(ctx, p.idle)
	if cell != nil {
		cell.releaseLine()
	}
}

// awaitOutput waits until all that GoNB had to publish has come, which all closes and which may be a hundred megabytes behind its reply,
// as long as something comes. An interrupt ends it.
func (c *Child) awaitOutput(ctx context.Context, all <-chan struct{}) {
	for before := int64(-1); c.heard.Load() > before && (before < 0 || ctx.Err() == nil); {
		before = c.heard.Load()
		select {
		case <-all:
			return
		case <-c.Done():
			return
		case <-time.After(idleLimit):
		}
	}
}

// begin takes up what a cell's special lines do, which GoNB does first, and the cell.
func (c *Child) begin(of *Cell) *source {
	c.remembering.Lock()
	defer c.remembering.Unlock()
	for _, words := range cell.CommandLines(of.Code) {
		if words[0] == "%reset" {
			if c.prepared = false; len(words) == 1 {
				clear(c.memory.lost)
			}
		}
	}
	c.running = of.Code
	from := &source{of.Count, strings.Split(cmp.Or(of.Whole, of.Code), "\n")}
	c.memory.cells[of.id()] = from
	return from
}

// end takes up what a body set, if the cell compiled.
func (c *Child) end(of *Cell, compiled bool) {
	c.remembering.Lock()
	defer c.remembering.Unlock()
	c.running = ""
	if _, set := declarations(cell.Compose(of.sent()).Text); compiled {
		for _, name := range set {
			c.memory.lost[name] = of.Count
		}
	}
}

// generated is the program that GoNB has made of a cell.
func (c *Child) generated(of *Cell, from *source) *generated {
	c.remembering.Lock()
	m := c.memory.clone()
	c.remembering.Unlock()
	made := c.workspace.compiled()
	return newGenerated(made, from, made.Text == cell.Compose(of.sent()).Text, m)
}

// interruptibly waits for the reply. An interrupt finds nothing to interrupt while a cell compiles, so it is sent again; a process gets
// it once at most.
func (c *Child) interruptibly(ctx context.Context, p *pending, callerSignals bool) (jupyter.Message, error) {
	interrupted := ctx.Done()
	if callerSignals {
		interrupted = nil
	}
	select {
	case m := <-p.reply:
		return m, nil
	case <-c.Done():
		return c.lastReply(p)
	case <-interrupted:
	}
	again := time.NewTicker(interruptAgain)
	defer again.Stop()
	for {
		c.client.SendControl(c.client.Request("interrupt_request", nil)) //nolint:errcheck // Done tells when GoNB has gone
		select {
		case m := <-p.reply:
			return m, nil
		case <-c.Done():
			return c.lastReply(p)
		case <-again.C:
		}
	}
}

// lastReply is the reply that has come before GoNB's end, or how it has ended.
func (c *Child) lastReply(p *pending) (jupyter.Message, error) {
	select {
	case m := <-p.reply:
		return m, nil
	default:
		return jupyter.Message{}, c.ended()
	}
}

// Tell relays a message that GoNB does not answer, such as comm_msg.
func (c *Child) Tell(m jupyter.Message) {
	c.client.SendShell(without(m, m.Content)) //nolint:errcheck // Done tells when GoNB has gone
}

// Input answers an input_request.
func (c *Child) Input(m jupyter.Message) {
	c.client.SendStdin(without(m, m.Content)) //nolint:errcheck // Done tells when GoNB has gone
}

// send registers a request and sends it with the header that it came with.
func (c *Child) send(request jupyter.Message, content any, of *Cell, from *source) (*pending, error) {
	p := &pending{cell: of, reply: make(chan jupyter.Message, 1), idle: make(chan struct{})}
	p.errors.made = sync.OnceValue(func() *generated { return c.generated(of, from) })
	c.mu.Lock()
	c.pending[request.Header.ID], c.current = p, p
	c.mu.Unlock()
	raw := jupyter.NewMessage("", "", content).Content
	if err := c.client.SendShell(without(request, raw)); err != nil {
		c.forget(request.Header.ID)
		return nil, c.unheard()
	}
	return p, nil
}

// without is a message under its own header, without the routing and metadata that are not GoNB's.
func without(m jupyter.Message, content []byte) jupyter.Message {
	return jupyter.Message{Header: m.Header, Content: content, Buffers: m.Buffers} // as sent, a date that is no text would make GoNB drop it
}

func (c *Child) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// keepLate lets the last cells publish what comes late.
func (c *Child) keepLate(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, id)
	if len(c.late) > lateCells {
		delete(c.pending, c.late[0])
		c.late = c.late[1:]
	}
}
