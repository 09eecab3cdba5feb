package jupyter

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Language is the interface that a [Kernel] runs, modelled on the do_ methods of ipykernel. Its
// methods may be called from several goroutines.
type Language interface {
	// Execute runs a cell. Cells of one shell run one at a time, cells of different shells
	// concurrently. It publishes output through the cell, and must return soon after the cell's
	// Context ends. An [ErrorReply] in the error is sent unchanged.
	Execute(c *Cell) error
	// Evaluate answers one of the user expressions of a request whose cell succeeded.
	Evaluate(c *Cell, expression string) (DisplayData, error)
	Complete(ctx context.Context, r CompleteRequest) CompleteReply
	Inspect(ctx context.Context, r InspectRequest) InspectReply
	IsComplete(code string) IsCompleteReply
	// Comm handles comm_open, comm_msg and comm_close messages in the order of arrival, whether or
	// not a cell is running. The page that sent the message receives the error.
	Comm(m Message) error
	// Comms returns the open comms of a target, or of all with "": each one's target name by its
	// id.
	Comms(target string) map[string]string
	// Shutdown ends what the language has started. Cells have been interrupted, and may still be
	// ending.
	Shutdown()
}

// Cell is an execute_request being run.
type Cell struct {
	Message Message // the request
	Request ExecuteRequest
	Number  int             // counts all cells that have run, counted in the notebook or not
	Count   int             // the number beside it in the notebook; Begin sets it
	Console bool            // sent by a line console, which does not show display updates
	Context context.Context // ends with an interrupt
	Forced  <-chan struct{} // closed by a second interrupt: the cell must end without cleaning up

	kernel      *Kernel
	shell       *Shell
	cancel      context.CancelFunc
	force       func()
	begin       sync.Once
	interrupted time.Time // zero if not; guarded by Kernel.mu

	publishing sync.Mutex
	over       bool // idle has been published
	payload    []any
}

// newCell returns the cell of a request, numbered and among the running ones. Its context does not
// end with the kernel's, but has ended already if the kernel has.
func (k *Kernel) newCell(shell *Shell, m Message, request ExecuteRequest) *Cell {
	forced := make(chan struct{})
	c := &Cell{
		Message: m, Request: request, Console: k.consoles.isTyped(m.Header.Session, request.Code),
		kernel: k, shell: shell, Forced: forced, force: sync.OnceFunc(func() { close(forced) }),
	}
	c.Context, c.cancel = context.WithCancel(context.WithoutCancel(k.life)) // a child of life would keep every cell alive
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

// Begin counts the cell and publishes its code. A language that waits for the cell's turn calls it
// after waiting, before it publishes anything else for the cell; the kernel calls it before the
// reply in any case.
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

// Relay publishes another kernel's message for the cell, as [Kernel.Relay] does, no faster than it
// is read.
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

// Remark writes text to stderr beside the cell's own output, unless the cell has ended.
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

// unlessOver calls publish unless the cell's idle status was published.
func (c *Cell) unlessOver(publish func()) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	if !c.over {
		publish()
	}
}

// Ask asks the user a question and passes the reply to answer, until withdraw is called or the cell
// ends. asked is false if another question is open or the cell has ended. Only one question can be
// open, since many front ends do not say which one they answer.
func (c *Cell) Ask(content any, answer func(Message)) (withdraw func(), asked bool) {
	question := c.Message.Reply(c.kernel.session, "input_request", content)
	q := &c.kernel.questions
	if !q.ask(c, question.Header.ID, answer) {
		return func() {}, false
	}
	withdraw = func() { q.withdraw(func() bool { return q.id == question.Header.ID }) }
	if !c.kernel.runs(c) { // the cell has ended meanwhile
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

// questions holds the open question of a running cell, if any.
type questions struct {
	mu     sync.Mutex
	cell   *Cell
	id     string        // of the input_request
	answer func(Message) // nil: no question is open
}

// ask opens a question; it returns false if another one is open.
func (q *questions) ask(c *Cell, id string, answer func(Message)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answer != nil {
		return false
	}
	q.cell, q.id, q.answer = c, id, answer
	return true
}

// take returns the function that gets an answer, and forgets it. It returns nil if the answer is
// for another question. An answer that names no question counts as one for the present question.
func (q *questions) take(m Message) func(Message) {
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

// describe turns an error into a front end's error: one line with what was wrong and what to do. An
// ErrorReply in the error is returned unchanged.
func describe(err error) ErrorReply {
	var reply ErrorReply
	if errors.As(err, &reply) {
		return reply
	}
	f := errs.Of(err)
	name, text := strings.ToUpper(string(f.Kind[:1]))+string(f.Kind[1:]), f.Error()
	return ErrorReply{Name: name, Value: text, Traceback: []string{"\x1b[31m" + text + "\x1b[0m"}}
}
