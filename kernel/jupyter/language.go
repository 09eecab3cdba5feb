package jupyter

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Language is what a [Kernel] runs. The interface is modelled on the do_
// methods of ipykernel. Its methods may be called from several goroutines.
type Language interface {
	// Execute runs a cell. Cells of one shell run one at a time; cells of
	// different shells run concurrently. Execute publishes output through the
	// cell, and must return soon after the cell's Context ends. If the error
	// contains an [ErrorReply], the kernel sends it unchanged.
	Execute(c *Cell) error
	// Evaluate answers one user expression of a request. It is called only if
	// the cell succeeded.
	Evaluate(c *Cell, expression string) (DisplayData, error)
	Complete(ctx context.Context, r CompleteRequest) CompleteReply
	Inspect(ctx context.Context, r InspectRequest) InspectReply
	IsComplete(code string) IsCompleteReply
	// Comm handles comm_open, comm_msg and comm_close messages in the order of
	// arrival, even while a cell is running. The error goes to the page that
	// sent the message.
	Comm(m Message) error
	// Comms returns the open comms of a target, as target names by comm id. ""
	// means all targets.
	Comms(target string) map[string]string
	// Shutdown ends what the language has started. Cells have been interrupted
	// by then, but may still be running.
	Shutdown()
}

// Cell is an execute_request that is being run.
type Cell struct {
	Message Message // the request
	Request ExecuteRequest
	Number  int             // numbers every cell that has run, even if the notebook doesn't count it
	Count   int             // the number next to the cell in the notebook; Begin sets it
	Console bool            // sent by a line console, which doesn't show display updates
	Context context.Context // canceled by an interrupt
	Forced  <-chan struct{} // closed by a second interrupt; the cell must then end without cleaning up

	kernel      *Kernel
	shell       *Shell
	cancel      context.CancelFunc
	force       func()
	begin       sync.Once
	interrupted time.Time // time of the first interrupt, or zero; guarded by Kernel.mu

	publishing sync.Mutex
	over       bool // idle has been published
	payload    []any
}

// newCell numbers a request's cell and adds it to the running ones. The cell's
// context isn't a child of the kernel's, but it is already canceled if the
// kernel has ended.
func (k *Kernel) newCell(shell *Shell, m Message, request ExecuteRequest) *Cell {
	forced := make(chan struct{})
	c := &Cell{
		Message: m, Request: request, Console: k.consoles.isTyped(m.Header.Session, request.Code),
		kernel: k, shell: shell, Forced: forced, force: sync.OnceFunc(func() { close(forced) }),
	}
	c.Context, c.cancel = context.WithCancel(context.WithoutCancel(k.life)) // as a child of life, it would be kept in memory for the kernel's whole life

	k.mu.Lock()
	defer k.mu.Unlock()
	k.number++
	c.Number = k.number
	k.running = append(k.running, c)

	if k.life.Err() != nil { // the kernel's last interrupt came too early for this cell
		c.cancel()
	}
	return c
}

// Begin counts the cell and publishes its code. A language that makes the cell
// wait for its turn should call Begin after waiting, before it publishes
// anything else for the cell. The kernel calls it before the reply in any case.
func (c *Cell) Begin() {
	c.begin.Do(func() {
		c.Count = c.kernel.assignCount(c)
		c.Publish("execute_input", ExecuteInput{Code: c.Request.Code, ExecutionCount: c.Count})
	})
}

// Publish publishes a message for the cell, unless the cell is silent.
func (c *Cell) Publish(messageType string, content any) {
	if !c.Request.Silent {
		c.kernel.Publish(c.Message, messageType, content)
	}
}

// Relay publishes another kernel's message for the cell, as [Kernel.Relay]
// does. It first waits for slow readers, as [Kernel.Pace] does.
func (c *Cell) Relay(m Message) {
	if !c.Request.Silent {
		c.kernel.Pace()
		c.kernel.Relay(c.Message, m)
	}
}

// Result publishes the result of the cell and records its text in the history.
func (c *Cell) Result(d DisplayData) {
	if text, _ := d.Data["text/plain"].(string); c.Request.StoreHistory {
		c.kernel.warnForgetful(c.kernel.history.Result(c.Count, text))
	}
	c.Publish("execute_result", map[string]any{"data": d.Data, "metadata": d.Metadata, "execution_count": c.Count})
}

// AddPayload adds an instruction for the front end to the reply.
func (c *Cell) AddPayload(p any) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	c.payload = append(c.payload, p)
}

func (c *Cell) payloads() []any {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	return append([]any{}, c.payload...)
}

// Remark writes text to stderr, among the cell's output. It does nothing if the
// cell has ended.
func (c *Cell) Remark(text string) {
	c.unlessOver(func() { c.Publish("stream", Stream{Name: "stderr", Text: text}) })
}

func (c *Cell) publishBusy() {
	c.unlessOver(func() { c.kernel.Publish(c.Message, "status", Status{State: "busy"}) })
}

func (c *Cell) publishIdle() {
	c.unlessOver(func() {
		c.over = true
		c.kernel.Publish(c.Message, "status", Status{State: "idle"})
	})
}

// unlessOver calls publish unless the cell's idle status has been published.
func (c *Cell) unlessOver(publish func()) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	if !c.over {
		publish()
	}
}

// Ask asks the user a question and passes the reply to answer, until you call
// withdraw or the cell ends. If another question is open or the cell has ended,
// asked is false. Only one question can be open, because many front ends don't
// say which one they answer.
func (c *Cell) Ask(content any, answer func(Message)) (withdraw func(), asked bool) {
	question := c.Message.Reply(c.kernel.session, "input_request", content)
	q := &c.kernel.questions
	if !q.ask(c, question.Header.ID, answer) {
		return func() {}, false
	}
	withdraw = func() { q.withdraw(func() bool { return q.id == question.Header.ID }) }
	if !c.kernel.isRunning(c) { // the cell has ended in the meantime
		withdraw()
		return withdraw, false
	}
	c.kernel.server.Stdin.Send(question)
	return withdraw, true
}

// Withdraw withdraws the cell's question, if one is open.
func (c *Cell) Withdraw() {
	q := &c.kernel.questions
	q.withdraw(func() bool { return q.cell == c })
}

// questions holds the open question of a running cell, if there is one.
type questions struct {
	mu     sync.Mutex
	cell   *Cell
	id     string        // of the input_request
	answer func(Message) // nil if no question is open
}

// ask opens a question. It returns false if another one is open.
func (q *questions) ask(c *Cell, id string, answer func(Message)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answer != nil {
		return false
	}
	q.cell, q.id, q.answer = c, id, answer
	return true
}

// closeWith returns the function that handles m, and closes the question. It returns
// nil if m answers another question. If m doesn't say which question it
// answers, it counts as an answer to the current one.
func (q *questions) closeWith(m Message) func(Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.ParentType() == "input_request" && m.ParentID() != q.id {
		return nil
	}
	answer := q.answer
	q.answer = nil
	return answer
}

// withdraw closes the open question if meant returns true.
func (q *questions) withdraw(meant func() bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if meant() {
		q.answer = nil
	}
}

// describe turns an error into a front end's error: one line that says what was
// wrong and what to do. If err contains an ErrorReply, describe returns it
// unchanged.
func describe(err error) ErrorReply {
	var reply ErrorReply
	if errors.As(err, &reply) {
		return reply
	}
	f := errs.Of(err)
	name, text := strings.ToUpper(string(f.Kind[:1]))+string(f.Kind[1:]), f.Error()
	return ErrorReply{Name: name, Value: text, Traceback: []string{"\x1b[31m" + text + "\x1b[0m"}}
}
