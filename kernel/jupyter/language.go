package jupyter

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Language is what a [Kernel] runs, after the do_ methods of ipykernel. Its methods may be called from several goroutines.
type Language interface {
	// Execute runs a cell: those of one shell one at a time, those of several shells side by side. What it shows it publishes by the cell. It
	// ends soon after the cell's Context, which an interrupt ends. An [ErrorReply] among its errors is told as it is.
	Execute(c *Cell) error
	// Evaluate answers one of the expressions that a request wants to know when its cell has run well.
	Evaluate(c *Cell, expression string) (DisplayData, error)
	Complete(ctx context.Context, r CompleteRequest) CompleteReply
	Inspect(ctx context.Context, r InspectRequest) InspectReply
	IsComplete(code string) IsCompleteReply
	// Comm takes a comm_open, comm_msg or comm_close, in the order in which they come and whether or not a cell runs. An error is told to the
	// page that sent it.
	Comm(m Message) error
	// Comms are the open comms of a target, or of all with "": the name of each one's target by its id.
	Comms(target string) map[string]string
	// Shutdown ends what the language has started. Cells were interrupted, and may still end.
	Shutdown()
}

// Cell is an execute_request that is run.
type Cell struct {
	Message Message // the request
	Request ExecuteRequest
	Number  int             // of all cells that were run, counted or not
	Count   int             // the number beside it in the notebook; Begin sets it
	Console bool            // a line console has sent it, where no update of a display is shown
	Context context.Context // ends with an interrupt
	Forced  <-chan struct{} // closed by a second interrupt, which waits for nothing

	kernel      *Kernel
	shell       *Shell
	cancel      context.CancelFunc
	force       func()
	begin       sync.Once
	interrupted time.Time // zero: not; guarded by Kernel.mu

	saying  sync.Mutex
	over    bool // idle was said
	payload []any
}

func (k *Kernel) newCell(shell *Shell, m Message, request ExecuteRequest) *Cell {
	forced := make(chan struct{})
	c := &Cell{
		Message: m, Request: request, Console: k.consoles.typed(m.Header.Session, request.Code),
		kernel: k, shell: shell, Forced: forced, force: sync.OnceFunc(func() { close(forced) }),
	}
	c.Context, c.cancel = context.WithCancel(context.WithoutCancel(k.life)) // which would keep every cell's
	k.mu.Lock()
	defer k.mu.Unlock()
	k.number++
	c.Number = k.number
	k.running = append(k.running, c)
	if k.life.Err() != nil { // its interrupt came too early for this cell
		c.cancel()
	}
	return c
}

// Begin counts the cell and publishes its code. A language calls it where it has waited for the cell's turn, before it publishes anything of
// the cell's own; it is called before the reply in any case.
func (c *Cell) Begin() {
	c.begin.Do(func() {
		c.Count = c.kernel.countOf(c)
		c.Publish("execute_input", ExecuteInput{Code: c.Request.Code, ExecutionCount: c.Count})
	})
}

// Publish publishes under the cell, unless that is silent.
func (c *Cell) Publish(messageType string, content any) {
	if !c.Request.Silent {
		c.kernel.Publish(c.Message, messageType, content)
	}
}

// Relay publishes under the cell what another kernel has said, as [Kernel.Relay] does, and no faster than it is read.
func (c *Cell) Relay(m Message) {
	if !c.Request.Silent {
		c.kernel.Pace()
		c.kernel.Relay(c.Message, m)
	}
}

// Result publishes the result of the cell, whose text is remembered with it.
func (c *Cell) Result(d DisplayData) {
	if text, _ := d.Data["text/plain"].(string); c.Request.StoreHistory {
		c.kernel.remembered(c.kernel.History.Result(c.Count, text))
	}
	c.Publish("execute_result", map[string]any{"data": d.Data, "metadata": d.Metadata, "execution_count": c.Count})
}

// AddPayload puts an instruction for the front end into the reply.
func (c *Cell) AddPayload(p any) {
	c.saying.Lock()
	defer c.saying.Unlock()
	c.payload = append(c.payload, p)
}

func (c *Cell) payloads() []any {
	c.saying.Lock()
	defer c.saying.Unlock()
	return append([]any{}, c.payload...)
}

// Remark says something on stderr beside what the cell writes, unless it has ended.
func (c *Cell) Remark(text string) {
	c.unlessOver(func() { c.Publish("stream", Stream{Name: "stderr", Text: text}) })
}

func (c *Cell) sayBusy() {
	c.unlessOver(func() { c.kernel.Publish(c.Message, "status", Status{State: "busy"}) })
}

func (c *Cell) sayIdle() {
	c.unlessOver(func() {
		c.over = true
		c.kernel.Publish(c.Message, "status", Status{State: "idle"})
	})
}

func (c *Cell) unlessOver(say func()) {
	c.saying.Lock()
	defer c.saying.Unlock()
	if !c.over {
		say()
	}
}

// Ask shows the user a question, whose reply answer gets, until withdraw is called or the cell ends. asked is false where another question
// is open or the cell has ended. There is one at a time, since many front ends do not say which one an answer is for.
func (c *Cell) Ask(content any, answer func(Message)) (withdraw func(), asked bool) {
	question := c.Message.Reply(c.kernel.session, "input_request", content)
	q := &c.kernel.questions
	if !q.ask(c, question.Header.ID, answer) {
		return func() {}, false
	}
	withdraw = func() { q.withdraw(func() bool { return q.id == question.Header.ID }) }
	if !c.kernel.runs(c) { // it has ended meanwhile
		withdraw()
		return withdraw, false
	}
	c.kernel.server.Stdin.Send(question)
	return withdraw, true
}

// Withdraw forgets what the cell has asked.
func (c *Cell) Withdraw() {
	q := &c.kernel.questions
	q.withdraw(func() bool { return q.cell == c })
}

// questions is what a running cell has asked the user, if anything.
type questions struct {
	mu     sync.Mutex
	cell   *Cell
	id     string        // of the input_request
	answer func(Message) // nil: nothing is asked
}

// ask notes a question; false: another one is open.
func (q *questions) ask(c *Cell, id string, answer func(Message)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answer != nil {
		return false
	}
	q.cell, q.id, q.answer = c, id, answer
	return true
}

// take gives whom an answer is for, or nil where that was not asked. A front end that says what it answers is believed.
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

// withdraw forgets the question, if it is the one that is meant.
func (q *questions) withdraw(meant func() bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if meant() {
		q.answer = nil
	}
}

// describe makes a front end's error of any: one line that says what was wrong and what to do.
func describe(err error) ErrorReply {
	var told ErrorReply
	if errors.As(err, &told) {
		return told
	}
	f := errs.Of(err)
	name, text := strings.ToUpper(string(f.Kind[:1]))+string(f.Kind[1:]), f.Error()
	return ErrorReply{Name: name, Value: text, Traceback: []string{"\x1b[31m" + text + "\x1b[0m"}}
}
