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
	// Request is the front end's execute_request. Its header becomes the parent
	// of the outputs.
	Request jupyter.Message
	Code    string // the cell without line magics
	// Whole is the cell as the user sees it, with the same lines. It is "" for
	// a program that the kernel has written.
	Whole      string
	Count      int  // the kernel's execution count
	Number     int  // number of the cell, counted without gaps
	AllowStdin bool // the front end can ask the user for input
	// Publish gets the outputs, such as stream and display_data. Some arrive
	// after the reply.
	Publish func(jupyter.Message)
	Ask     func(jupyter.Message) // gets an input_request, which Input answers
	// CallerSignals says that the caller signals the cell's processes itself
	// when it ends the context. Otherwise GoNB interrupts the cell, and kills
	// it five seconds later.
	CallerSignals bool
	ShowLast      bool         // show the value of the last expression
	Timing        *cell.Timing // times the body, or a statement instead; nil runs the cell

	replacement string // replaces Code, with the same lines; "" if nothing does
	isGuess     bool   // replacement may not compile although fallback does
	fallback    string // used instead of replacement if that doesn't compile
}

// pending is a request without a reply, or a cell if its output may still
// arrive.
type pending struct {
	cell   *Cell
	errors errorFilter
	reply  chan jupyter.Message
	idle   chan struct{} // closed when GoNB has published everything
}

const (
	interruptAgain = 200 * time.Millisecond
	idleLimit      = 4 * time.Second // GoNB publishes idle right after its reply and what the cell wrote
	lateCells      = 8
)

// Prepare runs the hidden first cell, unless it has run since the start or the
// last %reset. wrong explains to the user why that cell failed. It is empty
// otherwise. When the context ends, GoNB has forceLimit to end the cell. err
// only means that the wait for another cell was interrupted.
func (c *Child) Prepare(ctx context.Context) (wrong string, err error) {
	if err := c.enter(ctx); err != nil {
		return "", err
	}
	defer c.cellLock.Release()

	if c.isPrepared {
		return "", nil
	}

	over := make(chan struct{})
	defer close(over)
	go c.AbandonUnless(over, ctx.Done(), func() string { return "" })

	reply, err := c.execute(ctx,
		Cell{Request: jupyter.NewMessage(jupyter.NewID(), "execute_request", nil), Code: c.workspace.prelude(),
			Publish: func(jupyter.Message) {}})
	if err != nil || ctx.Err() != nil {
		return "", nil // the next cell reports it, or tries again
	}

	c.memoryMu.Lock()
	defer c.memoryMu.Unlock()
	c.isPrepared = true
	return reply.Value, nil
}

// enter waits until no other cell runs in GoNB. The caller must release
// cellLock.
func (c *Child) enter(ctx context.Context) error {
	if c.cellLock.Acquire(ctx) != nil {
		return errs.New(errs.Interrupted, "", "waiting for gonb was interrupted")
	}
	return nil
}

// Execute runs a cell and returns its error, after the cell has ended and its
// output was passed on. When the context ends, the cell is interrupted. Without
// CallerSignals, GoNB sends it SIGINT and, five seconds later, SIGKILL. The
// second error is of kind Unavailable if GoNB has died or doesn't answer.
func (c *Child) Execute(ctx context.Context, cell Cell) (jupyter.ErrorReply, error) {
	if err := c.enter(ctx); err != nil {
		return jupyter.ErrorReply{}, err
	}
	defer c.cellLock.Release()
	return c.execute(ctx, cell)
}

// execute is Execute for a caller that holds cellLock. If a cell shows its last
// value on a guess and the guess doesn't compile, execute sends the cell again
// as it was written.
func (c *Child) execute(ctx context.Context, goCell Cell) (jupyter.ErrorReply, error) {
	defer c.watchHeartbeat()()
	if err := c.rewrite(&goCell); err != nil {
		return jupyter.ErrorReply{}, err
	}

	from := c.begin(&goCell)
	compiled := false
	defer func() { c.end(&goCell, compiled) }()
	defer c.keepLate(goCell.Request.Header.ID)

	p, content, err := c.ask(ctx, &goCell, cell.Mark(goCell.source()), from)
	if err == nil && goCell.isGuess && !hasRun(content.ErrorReply) && guessIsWrong.MatchString(content.Value) && ctx.Err() == nil {
		p.release()
		goCell.replacement = goCell.fallback
		p, content, err = c.ask(ctx, &goCell, cell.MarkAgain(goCell.source()), from)
	}

	if err != nil {
		return jupyter.ErrorReply{}, err
	}

	c.workspace.moveTo(content.Directory)
	compiled = hasRun(content.ErrorReply)
	reply := replyFor(p, content.ErrorReply, ctx.Err() != nil)

	c.memoryMu.Lock()
	defer c.memoryMu.Unlock()
	if content.Remembered != nil {
		c.memory.goFile = *content.Remembered
	}
	return reply, nil
}

// answer is GoNB's execute_reply.
type answer struct {
	jupyter.ErrorReply
	Directory  string  `json:"directory"` // where the next cell runs
	Remembered *goFile `json:"remembered"`
}

// ask sends a cell to GoNB. It waits for the reply, and until the cell's output
// was passed on, except what the error filter holds back. If it returns an
// error, it has published that, too.
func (c *Child) ask(ctx context.Context, cell *Cell, code string, from *source) (p *pending, content answer, err error) {
	p, err = c.send(cell.Request, request{
		jupyter.ExecuteRequest{Code: code, Silent: true, UserExpressions: map[string]string{}, AllowStdin: cell.AllowStdin}, cell.id(),
	}, cell, from)
	if err != nil {
		return p, content, err
	}

	message, err := c.awaitReply(ctx, p, cell.CallerSignals)
	if err != nil {
		p.release()
		return p, content, err
	}

	c.awaitOutput(ctx, p.idle)
	process.FreePipes(c.workspace.temp(), pipePrefix)
	return p, content, message.Decode(&content)
}

// request is an execute_request with the number by which GoNB refers to the
// cell's lines.
type request struct {
	jupyter.ExecuteRequest
	Number int `json:"execution_count"`
}

// id returns the cell's number for GoNB. A program that the kernel has written
// gets a different number than the cell it runs for.
func (c *Cell) id() int {
	if c.Whole == "" {
		return -2 - c.Number
	}
	return c.Number
}

// Flush waits until everything that the running cell has written so far was
// passed on, except a panic that is held back. It returns early if the context
// or GoNB ends.
func (c *Child) Flush(ctx context.Context) {
	request := c.client.Request("flush_request", struct{}{})
	p := &pending{idle: make(chan struct{})}

	c.mu.Lock()
	c.pending[request.Header.ID] = p
	cell := c.current
	c.mu.Unlock()
	defer c.forget(request.Header.ID)

	if c.client.SendControl(request) != nil {
		return // Done is closed when GoNB has ended
	}

	c.awaitOutput(ctx, p.idle)
	if cell != nil {
		cell.releaseLine()
	}
}

// awaitOutput waits until all is closed, GoNB has ended, or no message arrives
// for idleLimit, because GoNB's output may be a hundred megabytes behind its
// reply. After an interrupt it waits idleLimit at most.
func (c *Child) awaitOutput(ctx context.Context, all <-chan struct{}) {
	for before := int64(-1); c.messages.Load() > before && (before < 0 || ctx.Err() == nil); {
		before = c.messages.Load()
		select {
		case <-all:
			return
		case <-c.Done():
			return
		case <-time.After(idleLimit):
		}
	}
}

// begin records the cell's text and the effects of its commands, because GoNB
// runs those first. It returns the text that errors refer to.
func (c *Child) begin(goCell *Cell) *source {
	c.memoryMu.Lock()
	defer c.memoryMu.Unlock()
	for _, words := range cell.CommandLines(goCell.Code) {
		if words[0] == "%reset" {
			if c.isPrepared = false; len(words) == 1 {
				clear(c.memory.lost)
			}
		}
	}

	c.runningCode = goCell.Code
	from := &source{goCell.Count, strings.Split(cmp.Or(goCell.Whole, goCell.Code), "\n")}
	c.memory.cells[goCell.id()] = from
	return from
}

// end records the variables that the body of a cell has set, if the cell
// compiled.
func (c *Child) end(goCell *Cell, compiled bool) {
	c.memoryMu.Lock()
	defer c.memoryMu.Unlock()
	c.runningCode = ""
	if _, set := declarations(cell.Compose(goCell.source()).Text); compiled {
		for _, name := range set {
			c.memory.lost[name] = goCell.Count
		}
	}
}

// program returns the program that GoNB has made from a cell.
func (c *Child) program(goCell *Cell, from *source) *program {
	c.memoryMu.Lock()
	m := c.memory.clone()
	c.memoryMu.Unlock()
	file := c.workspace.readProgram()
	return &program{file, from, m, file.Text == cell.Compose(goCell.source()).Text}
}

// awaitReply waits for the reply. While a cell compiles, there is no process to
// interrupt, so awaitReply sends the interrupt repeatedly. GoNB passes on only
// one of them.
func (c *Child) awaitReply(ctx context.Context, p *pending, callerSignals bool) (jupyter.Message, error) {
	interrupted := ctx.Done()
	if callerSignals {
		interrupted = nil
	}

	var again <-chan time.Time
	for {
		select {
		case m := <-p.reply:
			return m, nil
		case <-c.Done():
			return c.lastReply(p)
		case <-interrupted:
			interrupted = nil
		case <-again:
		}
		c.client.SendControl(c.client.Request("interrupt_request", nil)) //nolint:errcheck // Done is closed when GoNB has ended
		again = time.After(interruptAgain)
	}
}

// lastReply returns the reply that arrived before GoNB's end, or the error for
// that end.
func (c *Child) lastReply(p *pending) (jupyter.Message, error) {
	select {
	case m := <-p.reply:
		return m, nil
	default:
		return jupyter.Message{}, c.endError()
	}
}

// Relay passes on a message that GoNB doesn't answer, such as comm_msg.
func (c *Child) Relay(m jupyter.Message) {
	c.client.SendShell(forward(m, m.Content)) //nolint:errcheck // Done is closed when GoNB has ended
}

// Input answers an input_request.
func (c *Child) Input(m jupyter.Message) {
	c.client.SendStdin(forward(m, m.Content)) //nolint:errcheck // Done is closed when GoNB has ended
}

// send registers a request and sends it with its original header.
func (c *Child) send(request jupyter.Message, content any, goCell *Cell, from *source) (*pending, error) {
	p := &pending{cell: goCell, reply: make(chan jupyter.Message, 1), idle: make(chan struct{})}
	p.errors.program = sync.OnceValue(func() *program { return c.program(goCell, from) })

	c.mu.Lock()
	c.pending[request.Header.ID], c.current = p, p
	c.mu.Unlock()

	raw := jupyter.Content(content)
	if err := c.client.SendShell(forward(request, raw)); err != nil {
		c.forget(request.Header.ID)
		return nil, c.sendError()
	}

	return p, nil
}

// forward returns a message with the header of m, without routing and metadata.
func forward(m jupyter.Message, content []byte) jupyter.Message {
	// RawHeader is omitted because GoNB drops a header whose date it can't
	// parse.
	return jupyter.Message{Header: m.Header, Content: content, Buffers: m.Buffers}
}

func (c *Child) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// keepLate keeps a cell pending while it is one of the last few, so that late
// output is published.
func (c *Child) keepLate(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, id)
	if len(c.late) > lateCells {
		delete(c.pending, c.late[0])
		c.late = c.late[1:]
	}
}
