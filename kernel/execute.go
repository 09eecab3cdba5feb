package kernel

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/errs/boundary"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
)

// abortWindow is how long a failed cell's reply waits, so that cells sent with it have arrived and are aborted with it. Those that a
// front end sends once it has seen the reply are not.
const abortWindow = 5 * time.Millisecond

// execution is one cell that runs.
type execution struct {
	*output
	shell       *jupyter.Shell
	number      int                  // of all that were run, counted or not
	text        text                 // of the cell
	broken      error                // why it cannot be run: it cannot be read, or it was interrupted before its turn came
	hasLock     bool                 // its Go code runs, or may; guarded by Kernel.mu
	ending      *process.Interrupter // of its program that runs now; guarded by Kernel.mu
	request     jupyter.ExecuteRequest
	context     context.Context // ends when the cell is interrupted
	interrupt   context.CancelFunc
	interrupted time.Time     // zero: not; guarded by Kernel.mu
	forced      chan struct{} // closed by a second interrupt
	force       func()
	sessions    cellSessions

	saying sync.Mutex
	over   bool // idle was said
}

// sayBusy says again that the cell runs, unless it has ended.
func (e *execution) sayBusy() {
	e.saying.Lock()
	defer e.saying.Unlock()
	if !e.over {
		e.kernel.publish(e.parent, "status", jupyter.Status{State: "busy"})
	}
}

// remark says something beside what the cell writes, unless it has ended.
func (e *execution) remark(text string) {
	e.saying.Lock()
	defer e.saying.Unlock()
	if !e.over {
		e.publish("stream", jupyter.Stream{Name: "stderr", Text: text})
	}
}

func (e *execution) sayIdle() {
	e.saying.Lock()
	defer e.saying.Unlock()
	e.over = true
	e.kernel.publish(e.parent, "status", jupyter.Status{State: "idle"})
}

// work runs the cells of a shell one by one.
func (k *Kernel) work(shell *jupyter.Shell) {
	for {
		m, ok := shell.Next()
		if !ok {
			return
		}
		request, err := jupyter.ReadExecuteRequest(m)
		if err != nil {
			_, content := badRequest("", err)
			k.refuse(m, content)
			continue
		}
		k.execute(shell, m, request)
	}
}

// refuse answers a request of the shell socket that is not done.
func (k *Kernel) refuse(m jupyter.Message, content any) {
	k.publish(m, "status", jupyter.Status{State: "busy"})
	if m.Header.Type == "execute_request" || k.handlers()[m.Header.Type] != nil {
		k.server.Shell.Send(m.Reply(k.session, replyTo(m), content))
	}
	k.publish(m, "status", jupyter.Status{State: "idle"})
	k.sayBusy()
}

// execute runs one cell and replies.
func (k *Kernel) execute(shell *jupyter.Shell, m jupyter.Message, request jupyter.ExecuteRequest) {
	e := &execution{shell: shell, output: &output{kernel: k, parent: m, silent: request.Silent}, request: request}
	if k.consoles.typed(m.Header.Session, request.Code) {
		e.console = &consoleLine{}
	}
	e.context, e.interrupt = context.WithCancel(context.WithoutCancel(k.life)) // which would keep every cell's
	e.forced = make(chan struct{})
	e.force = sync.OnceFunc(func() { close(e.forced) })
	e.context = process.WithForceInterrupt(e.context, e.forced)
	e.text, e.broken = readText(request.Code)
	k.begin(e)
	if k.life.Err() != nil { // its interrupt came too early for this cell
		e.interrupt()
	}
	e.sayBusy()
	if e.text.hasGo() && !k.gonb.disabled {
		e.broken = cmp.Or(e.broken, k.lockCells(e))
	}
	k.counted(e)
	e.publish("execute_input", jupyter.ExecuteInput{Code: request.Code, ExecutionCount: e.count})
	failed, expressions := k.runCell(e)
	if request.StoreHistory {
		k.remembered(k.history.Result(e.count, e.resultText()))
	}
	interrupted := k.ended(e)

	var aborted []jupyter.Message
	if interrupted || (failed.Name != "" && request.StopOnError && !request.Silent) {
		time.Sleep(abortWindow)
		aborted = shell.Drain()
	}
	k.server.Shell.Send(m.Reply(k.session, "execute_reply", e.reply(failed, expressions)))
	e.sayIdle()
	for _, waiting := range aborted {
		k.refuse(waiting, jupyter.StatusReply{Status: "aborted"})
	}
	k.sayBusy()
}

// counted gives a cell its number in the notebook. A Go cell gets it when its turn has come, so that GoNB counts in the same order.
func (k *Kernel) counted(e *execution) {
	k.mu.Lock()
	if e.request.StoreHistory {
		k.count++
	}
	e.count = k.count
	k.mu.Unlock()
	if e.request.StoreHistory {
		k.remembered(k.history.Add(e.count, e.request.Code))
	}
}

// runCell runs the %fsnet lines, then the Go code, and publishes the error if there is one. Where all went well it answers the request's
// expressions.
func (k *Kernel) runCell(e *execution) (failed gonb.Reply, expressions map[string]any) {
	var end outcome
	panicked := boundary.Do(k.options.Log, "this cell", func() error {
		if end = k.runLines(e); end.reply.Name == "" && end.fault == nil {
			expressions = k.expressions(e)
		}
		e.flush() // an error comes last
		return nil
	})
	switch {
	case panicked != nil:
		failed = describe(panicked)
	case end.reply.Name != "":
		failed = end.reply
	case end.fault != nil:
		failed = describe(end.fault)
	default:
		return failed, expressions
	}
	e.publish("error", jupyter.ErrorReply{Name: failed.Name, Value: failed.Value, Traceback: failed.Traceback})
	return failed, nil
}

// outcome is how a cell ended: with GoNB's reply, with a fault, or well.
type outcome struct {
	reply gonb.Reply
	fault error
}

func (o outcome) failed() bool { return o.reply.Name != "" || o.fault != nil }

// runLines runs the parts of a cell one after the other. What stands behind an interrupt is not run.
func (k *Kernel) runLines(e *execution) outcome {
	if e.broken != nil {
		return outcome{fault: e.broken}
	}
	if e.text.asks("%fmt") {
		return k.runPart(e, part{magics: []cell.LineMagic{{Words: []string{"%fmt"}}}})
	}
	for i, p := range e.text {
		if i > 0 && e.context.Err() != nil {
			return outcome{fault: notRun("the Go code above")}
		}
		for j, command := range p.commands {
			if err := k.magics.Run(e.context, command, e.output); err != nil {
				return outcome{fault: err}
			}
			if left := j+1 < len(p.commands) || p.hasGo() || len(p.magics) > 0 || i+1 < len(e.text); left && e.context.Err() != nil {
				return outcome{fault: notRun(cell.Prefix + " " + command.Verb)}
			}
		}
		if end := k.runPart(e, p); end.failed() {
			return end
		}
		e.flush() // what Go code shows comes behind it
	}
	return outcome{}
}

// notRun is the error of a cell that was interrupted before its end.
func notRun(done string) error {
	return errs.New(errs.Interrupted, "run them in a cell of their own", "interrupted: the lines after %s were not run", done)
}

// text is what a cell says, part by part: %fsnet lines, the kernel's own lines, then Go code.
type text []part

type part struct {
	commands []magic.Command
	magics   []cell.LineMagic
	rest     cell.Code
}

func readText(code string) (t text, err error) {
	parts, err := magic.Split(code)
	for _, p := range parts {
		magics, rest := cell.TakeLineMagics(p.Go)
		t = append(t, part{p.Commands, magics, rest})
	}
	return t, err
}

func (p part) hasGo() bool { return !p.rest.IsBlank() }

// asks reports whether a cell has one of the kernel's own lines.
func (t text) asks(command string) bool {
	return slices.ContainsFunc(t, func(p part) bool {
		return slices.ContainsFunc(p.magics, func(o cell.LineMagic) bool { return o.Words[0] == command })
	})
}

// hasGo reports whether a cell needs GoNB.
func (t text) hasGo() bool { return t.asks("%timeit") || slices.ContainsFunc(t, part.hasGo) }

// describe makes a cell's error of a fault: one line that says what was wrong and what to do.
func describe(err error) gonb.Reply {
	f := errs.Of(err)
	name := strings.ToUpper(string(f.Kind[:1])) + string(f.Kind[1:])
	text := f.Error()
	return gonb.Reply{Name: name, Value: text, Traceback: []string{"\x1b[31m" + text + "\x1b[0m"}}
}

// reply is the content of the execute_reply.
func (e *execution) reply(failed gonb.Reply, expressions map[string]any) any {
	if failed.Name != "" {
		return jupyter.ErrorReply{Status: "error", ExecutionCount: &e.count, Name: failed.Name, Value: failed.Value, Traceback: failed.Traceback}
	}
	return jupyter.ExecuteReply{Status: "ok", ExecutionCount: e.count, Payload: e.pages(), UserExpressions: expressions}
}

// waitsForTurn is said of a Go cell that finds one of another shell running.
const waitsForTurn = "this cell waits: a Go cell of another shell is running, and GoNB runs one at a time (%fsnet lines do not wait)\n"

// begin makes a cell one that runs.
func (k *Kernel) begin(e *execution) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.number++
	e.number = k.number
	k.running = append(k.running, e)
}

// ended makes a cell one that has run, lets the next Go cell have its turn, and reports whether it was interrupted.
func (k *Kernel) ended(e *execution) (interrupted bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = slices.DeleteFunc(k.running, func(other *execution) bool { return other == e })
	if e.hasLock {
		k.questions.withdraw("") // what it wanted to know is not told to the next one
		k.leave(e)
	}
	return !e.interrupted.IsZero()
}

// busy reports whether a cell runs.
func (k *Kernel) busy() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.running) > 0
}

// runs reports whether a cell has not ended.
func (k *Kernel) runs(e *execution) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.running, e)
}

// sayBusy says again that cells run, where something else has just said idle: front ends take the last status for the kernel's.
func (k *Kernel) sayBusy() {
	k.mu.Lock()
	running := slices.Clone(k.running)
	k.mu.Unlock()
	for _, e := range running {
		e.sayBusy()
	}
}

// lockCells waits until no other cell's Go code runs. GoNB compiles and runs one program at a time, and what a cell declares is there for
// the next one: two side by side would have no order.
func (k *Kernel) lockCells(e *execution) error {
	if !k.cellLock.TryAcquire() {
		e.publish("stream", jupyter.Stream{Name: "stderr", Text: waitsForTurn})
		if k.cellLock.Acquire(e.context) != nil {
			return errs.New(errs.Interrupted, "run it again", "interrupted: the cell was still waiting for the Go cell of another shell")
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e.hasLock = true
	return nil
}

// leave lets the next Go cell run. The caller holds the lock.
func (k *Kernel) leave(e *execution) {
	e.hasLock = false
	k.cellLock.Release()
}

// forceAfter tells a second interrupt from the first one, sent twice.
const forceAfter = 500 * time.Millisecond

// stillCleaning is said of a cell that takes its time.
const stillCleaning = "interrupted: the cell is cleaning up; interrupt again to end it at once\n"

// Interrupt pauses the step or run that a cell waits for, or ends the Go cell. Without a running cell it does nothing. A second one does
// not wait for the cell to clean up.
//
// It reaches the cells of all shells: who asks for it wants that what runs ends, and front ends do not say which.
func (k *Kernel) Interrupt() { k.interrupt(nil) }

// interrupt is Interrupt for the cell of one shell, or with nil for all.
func (k *Kernel) interrupt(shell *jupyter.Shell) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.running {
		if shell != nil && e.shell != shell {
			continue
		}
		if e.interrupted.IsZero() {
			e.interrupted = time.Now()
		} else if time.Since(e.interrupted) > forceAfter {
			e.force()
		}
		e.interrupt()
	}
}
