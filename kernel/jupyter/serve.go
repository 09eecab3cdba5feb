package jupyter

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
)

// Kernel runs a [Language] for the front ends of a connection. It answers their
// requests and publishes messages to them.
type Kernel struct {
	info      KernelInfo
	log       *slog.Logger
	session   string // session of the messages that the kernel sends
	server    *Server
	language  Language
	shells    *Shells
	questions questions
	consoles  consoles
	history   History
	forgetful sync.Once // logs once that cells aren't kept

	mu      sync.Mutex
	running []*Cell // at most one per shell
	number  int     // number of the latest cell, even if the notebook doesn't count it
	count   int     // the execution count

	workers sync.WaitGroup // of the shells
	life    context.Context
	end     context.CancelFunc
	stop    sync.Once
	quit    chan struct{} // closed by a shutdown_request
}

// KernelOptions are the options of New. Each has a useful zero value.
type KernelOptions struct {
	Info    KernelInfo   // describes the language to front ends; New fills in the protocol's part
	Paced   bool         // publish output below the rate that Jupyter Server allows
	History string       // file that keeps cells between kernels; "" keeps none
	Log     *slog.Logger // nil means slog.Default
}

// New opens the sockets of a connection file. The caller must call Run or
// Close. The error is of kind Request if the file is wrong.
func New(connectionFile string, o KernelOptions) (*Kernel, error) {
	connection, err := ReadConnection(connectionFile)
	if err != nil {
		return nil, err
	}
	k := &Kernel{
		info: o.Info, log: cmp.Or(o.Log, slog.Default()), session: NewID(), shells: NewShells(), quit: make(chan struct{}),
	}

	k.info.Status, k.info.ProtocolVersion = "ok", ProtocolVersion
	k.info.SupportedFeatures = []string{"iopub_welcome", "kernel subshells"} // all optional features except the debugger
	if o.History != "" {
		k.history.Keep(o.History)
	}

	if k.server, err = Listen(connection, Options{Session: k.session, Paced: o.Paced, Log: k.log}); err != nil {
		return nil, err
	}

	k.life, k.end = context.WithCancel(context.Background())
	return k, nil
}

// Life returns a context that ends with the kernel, before the language shuts
// down.
func (k *Kernel) Life() context.Context { return k.life }

// endLimit bounds how long Run waits for the last cells to reply. Jupyter waits
// five seconds for a kernel to end.
const endLimit = 2 * time.Second

// Run serves until a shutdown_request arrives, the context ends, or the Jupyter
// server that started this process dies. Then it interrupts all cells, shuts
// the language down, waits for the cells' replies for endLimit at most, and
// closes the sockets.
func (k *Kernel) Run(ctx context.Context, language Language) {
	k.language = language
	var loops sync.WaitGroup
	loops.Go(k.readShell)
	loops.Go(k.readControl)
	loops.Go(k.readStdin)
	k.workers.Go(func() { k.work(k.shells.Main) })

	k.Publish(Message{}, "status", Status{State: "starting"})
	select {
	case <-ctx.Done():
	case <-k.quit:
	case <-parentGone(ctx):
	}

	k.end()
	k.shells.Close()
	k.Interrupt()
	language.Shutdown()

	worked := make(chan struct{})
	go func() {
		defer close(worked)
		k.workers.Wait()
	}()
	select {
	case <-worked:
	case <-time.After(endLimit):
	}

	k.Close()
	loops.Wait()
}

// Close ends Life and closes the sockets, after sending the remaining messages
// to peers that still read. You may call it more than once.
func (k *Kernel) Close() {
	k.end()
	k.server.Close()
}

// parentGone returns a channel that is closed when the Jupyter server that
// started this kernel has died silently. For other parents it is never closed,
// because a kernel started by hand may outlive its shell.
func parentGone(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid()
	if os.Getenv("JPY_PARENT_PID") != strconv.Itoa(parent) {
		return gone
	}

	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != parent {
					close(gone)
					return
				}
			}
		}
	}()
	return gone
}

// Publish sends a message to all front ends as an answer to request. If request
// is zero, the message has no parent.
func (k *Kernel) Publish(request Message, messageType string, content any) {
	k.server.IOPub.Publish(k.answer(request, messageType, content))
}

// Relay publishes the type, content, metadata and buffers of m under a new
// header, as an answer to request.
func (k *Kernel) Relay(request, m Message) {
	answer := k.answer(request, m.Header.Type, m.Content)
	answer.Metadata, answer.Buffers = m.Metadata, m.Buffers
	k.server.IOPub.Publish(answer)
}

// answer returns a message that answers request. If request is zero, the
// message has no parent.
func (k *Kernel) answer(request Message, messageType string, content any) Message {
	if request.Header.ID == "" && request.RawHeader == nil {
		return NewMessage(k.session, messageType, content)
	}
	return request.Answer(k.session, messageType, content)
}

// Pace waits until front ends have read most of what was published. Call it if
// you publish faster than a reader can read.
func (k *Kernel) Pace() { k.server.IOPub.Pace() }

// Busy reports whether a cell is running.
func (k *Kernel) Busy() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.running) > 0
}

// Pulse shows activity while no cell runs. It publishes busy and idle for an
// imaginary cell, because jupyter_server counts a status as activity only if it
// answers something like a cell.
func (k *Kernel) Pulse() {
	k.during(NewMessage(k.session, "execute_request", nil), func() {})
}

// during does the work of a request that isn't a cell, and publishes busy
// before and idle after it, as the protocol requires. Front ends show the
// latest status as the kernel's, so during then publishes busy again for
// running cells.
func (k *Kernel) during(m Message, work func()) {
	k.Publish(m, "status", Status{State: "busy"})
	work()
	k.Publish(m, "status", Status{State: "idle"})
	k.publishBusy()
}

// publishBusy publishes busy again for the running cells, after an idle status
// for something else.
func (k *Kernel) publishBusy() {
	k.mu.Lock()
	running := slices.Clone(k.running)
	k.mu.Unlock()
	for _, c := range running {
		c.publishBusy()
	}
}

// readShell answers quick requests at once and queues cells.
func (k *Kernel) readShell() {
	for m := range k.server.Shell.Messages() {
		shell, err := k.shells.Find(m.Header.Subshell)
		switch kind := m.Header.Type; {
		case kind == "comm_open" || kind == "comm_msg" || kind == "comm_close":
			// Messages of a subshell that no longer exists are delivered, too.
			// A page deletes its subshell while its last messages are still on
			// their way.
			k.during(m, func() {
				if !errs.Is(err, errs.Request) {
					err = errs.Guard(k.log.Error, kind, func() error { return k.language.Comm(m) })
				}
				if err != nil {
					k.Explain(m, err.Error())
				}
			})
		case err != nil && kind != "kernel_info_request": // kernel_info is always answered, because front ends ask for it first
			k.refuse(m, errorReply(err))
		case kind == "execute_request":
			if !shell.Put(m) {
				k.refuse(m, StatusReply{Status: "aborted"})
			}
		default:
			k.serve(m, k.server.Shell)
		}
	}
}

// Explain publishes a line on stderr that tells why a widget's message changed
// nothing. JupyterLab shows it in its log console.
func (k *Kernel) Explain(m Message, line string) {
	k.Publish(m, "stream", Stream{Name: "stderr", Text: strings.TrimSuffix(line, "\n") + "\n"})
}

// readControl answers interrupts, shutdown and other control requests, even
// while cells run.
func (k *Kernel) readControl() {
	for m := range k.server.Control.Messages() {
		k.serve(m, k.server.Control)
	}
}

// readStdin passes the user's input to the cell that asked for it.
func (k *Kernel) readStdin() {
	for m := range k.server.Stdin.Messages() {
		if m.Header.Type != "input_reply" {
			continue
		}
		if answer := k.questions.closeWith(m); answer != nil {
			answer(m)
		}
	}
}

// serve answers a request that isn't a cell. Completion and inspection are
// answered in the background, because the language may have to look something
// up.
func (k *Kernel) serve(m Message, from *Router) {
	if kind := m.Header.Type; kind == "complete_request" || kind == "inspect_request" {
		go k.reply(m, from)
	} else {
		k.reply(m, from)
	}
}

// reply answers a request over its socket. For an unknown request it only
// publishes busy and idle. After a shutdown_request it makes Run return.
func (k *Kernel) reply(m Message, from *Router) {
	handle := k.handlers()[m.Header.Type]
	if handle == nil && from == k.server.Control {
		handle = k.controlHandlers()[m.Header.Type]
	}

	k.during(m, func() {
		if handle == nil { // the protocol demands that unknown requests get no answer
			return
		}
		content := k.callHandler(m, handle)
		from.Send(m.Reply(k.session, replyType(m), content))
		if _, ends := content.(Shutdown); ends {
			k.Publish(m, replyType(m), content) // for the other front ends of this kernel
		}
	})

	if m.Header.Type == "shutdown_request" {
		k.stop.Do(func() { close(k.quit) })
	}
}

// callHandler returns the answer to a request. If the handler fails or panics,
// the answer is an ErrorReply, and no other request is affected.
func (k *Kernel) callHandler(m Message, handle func(Message) (any, error)) (content any) {
	err := errs.Guard(k.log.Error, m.Header.Type, func() (err error) {
		content, err = handle(m)
		return err
	})
	if err != nil {
		return errorReply(err)
	}
	return content
}

// errorReply returns the reply to a request that failed.
func errorReply(err error) ErrorReply {
	reply := describe(err)
	reply.Status = "error"
	return reply
}

// replyType returns the type of the reply to a request.
func replyType(m Message) string { return strings.Replace(m.Header.Type, "_request", "_reply", 1) }

// withContent turns a function of a message and its content into a handler. The
// handler fails if the content doesn't decode.
func withContent[C any](answer func(m Message, content C) (any, error)) func(Message) (any, error) {
	return func(m Message) (any, error) {
		var content C
		if err := m.Decode(&content); err != nil {
			return nil, err
		}
		return answer(m, content)
	}
}

// handlers returns the handlers of requests that both sockets accept.
func (k *Kernel) handlers() map[string]func(Message) (any, error) {
	return map[string]func(Message) (any, error){
		"kernel_info_request": func(Message) (any, error) { return k.info, nil },
		"history_request":     withContent(k.showHistory),
		"interrupt_request":   k.interruptRequest,
		"shutdown_request": func(m Message) (any, error) {
			var request Shutdown
			m.Decode(&request) //nolint:errcheck // it shuts down either way
			return Shutdown{Status: "ok", Restart: request.Restart}, nil
		},
		"complete_request": withContent(func(_ Message, r CompleteRequest) (any, error) {
			reply := k.language.Complete(k.life, r)
			reply.Status = "ok"
			reply.Matches = append([]string{}, reply.Matches...)
			reply.Metadata = orEmptyMap(reply.Metadata)
			return reply, nil
		}),
		"inspect_request": withContent(func(_ Message, r InspectRequest) (any, error) {
			reply := k.language.Inspect(k.life, r)
			reply.Status, reply.Found = "ok", len(reply.Data) > 0
			reply.Data, reply.Metadata = orEmptyMap(reply.Data), orEmptyMap(reply.Metadata)
			return reply, nil
		}),
		"is_complete_request": withContent(func(m Message, r IsCompleteRequest) (any, error) {
			k.consoles.remember(m.Header.Session, r.Code)
			return k.language.IsComplete(r.Code), nil
		}),
		"comm_info_request": withContent(func(_ Message, r CommInfoRequest) (any, error) {
			reply := CommInfoReply{Status: "ok", Comms: map[string]CommInfoRequest{}}
			for id, target := range k.language.Comms(r.Target) {
				reply.Comms[id] = CommInfoRequest{target}
			}
			return reply, nil
		}),
	}
}

// orEmptyMap returns an empty map for nil, because JSON would write nil as
// null.
func orEmptyMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// controlHandlers returns the handlers for subshells. The protocol allows them
// only on the control socket.
func (k *Kernel) controlHandlers() map[string]func(Message) (any, error) {
	return map[string]func(Message) (any, error){
		"create_subshell_request": func(Message) (any, error) {
			shell, err := k.shells.Create(func(s *Shell) { k.workers.Go(func() { k.work(s) }) })
			if err != nil {
				return nil, err
			}
			return SubshellReply{Status: "ok", ID: shell.ID}, nil
		},
		"delete_subshell_request": withContent(k.deleteSubshell),
		"list_subshell_request": func(Message) (any, error) {
			return SubshellsReply{Status: "ok", IDs: k.shells.IDs()}, nil
		},
	}
}

// interruptRequest interrupts all running cells, or only the one in the
// subshell that the header names.
func (k *Kernel) interruptRequest(m Message) (any, error) {
	shell, err := k.shells.Find(m.Header.Subshell)
	if err != nil {
		return nil, err
	}
	if shell == k.shells.Main {
		shell = nil
	}

	k.interrupt(shell)
	return StatusReply{Status: "ok"}, nil
}

type subshellName struct {
	ID json.RawMessage `json:"subshell_id"`
}

// deleteSubshell ends a subshell and aborts its waiting cells. A running cell
// continues, because it may be a training.
func (k *Kernel) deleteSubshell(_ Message, r subshellName) (any, error) {
	waiting, err := k.shells.Delete(string(r.ID))
	if err != nil {
		return nil, err
	}
	for _, m := range waiting {
		k.refuse(m, StatusReply{Status: "aborted"})
	}
	return StatusReply{Status: "ok"}, nil
}

// showHistory answers a history_request. Each cell becomes [session, count,
// code]. If the request asks for output, it becomes [session, count, [code,
// result]], and result may be null.
func (k *Kernel) showHistory(_ Message, r HistoryRequest) (any, error) {
	reply := HistoryReply{Status: "ok", History: [][]any{}}
	for _, past := range k.history.Find(r) {
		var what any = past.Code
		if pair := []any{past.Code, nil}; r.Output {
			if past.Result != "" {
				pair[1] = past.Result
			}
			what = pair
		}
		reply.History = append(reply.History, []any{past.Session, past.Count, what})
	}
	return reply, nil
}

// work runs the cells of a shell one by one, until the shell is deleted or the
// kernel ends.
func (k *Kernel) work(shell *Shell) {
	for {
		m, ok := shell.Next()
		if !ok {
			return
		}
		if request, err := ReadExecuteRequest(m); err != nil {
			k.refuse(m, errorReply(err))
		} else {
			k.execute(k.newCell(shell, m, request))
		}
	}
}

// refuse answers a shell request with content instead of serving it. If the
// request's type has no reply, as for an unknown type, refuse sends none.
func (k *Kernel) refuse(m Message, content any) {
	k.during(m, func() {
		if m.Header.Type == "execute_request" || k.handlers()[m.Header.Type] != nil {
			k.server.Shell.Send(m.Reply(k.session, replyType(m), content))
		}
	})
}

// abortWindow delays the reply of a failed cell, so that cells sent together
// with it have arrived and are aborted, too. Cells sent after the reply was
// seen still run.
const abortWindow = 5 * time.Millisecond

// execute runs one cell and replies. If the cell was interrupted, or if it
// failed and its request asked to stop on errors, execute aborts the cells that
// wait in its shell.
func (k *Kernel) execute(c *Cell) {
	c.publishBusy()
	err := errs.Guard(k.log.Error, "this cell", func() error { return k.language.Execute(c) })
	c.Begin()

	var content any
	if err != nil {
		failure := describe(err)
		c.Publish("error", failure)
		failure.Status, failure.ExecutionCount = "error", &c.Count
		content = failure
	} else {
		content = ExecuteReply{Status: "ok", ExecutionCount: c.Count, Payload: c.payloads(), UserExpressions: k.evaluate(c)}
	}

	var aborted []Message
	if interrupted := k.finish(c); interrupted || (err != nil && c.Request.StopOnError && !c.Request.Silent) {
		time.Sleep(abortWindow)
		aborted = c.shell.Drain()
	}

	k.server.Shell.Send(c.Message.Reply(k.session, "execute_reply", content))
	c.publishIdle()
	k.publishBusy() // for the cells of other shells
	for _, m := range aborted {
		k.refuse(m, StatusReply{Status: "aborted"})
	}
}

// evaluate answers the user expressions of a request. Each one gets a separate
// answer or error.
func (k *Kernel) evaluate(c *Cell) map[string]any {
	answers := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(c.Request.UserExpressions)) {
		var d DisplayData
		err := errs.Guard(k.log.Error, "this expression", func() (err error) {
			d, err = k.language.Evaluate(c, c.Request.UserExpressions[name])
			return err
		})
		if err != nil {
			answers[name] = errorReply(err)
		} else {
			answers[name] = map[string]any{"status": "ok", "data": orEmptyMap(d.Data), "metadata": orEmptyMap(d.Metadata)}
		}
	}
	return answers
}

// assignCount returns the execution count of a cell that begins. If the cell is
// stored, it gets the next count and enters the history. Otherwise it shares
// the count of the cell before it.
func (k *Kernel) assignCount(c *Cell) int {
	k.mu.Lock()
	if c.Request.StoreHistory {
		k.count++
	}
	count := k.count
	k.mu.Unlock()

	if c.Request.StoreHistory {
		k.warnForgetful(k.history.Add(count, c.Request.Code))
	}
	return count
}

// warnForgetful logs, once, that cells aren't kept. It does nothing if err is
// nil.
func (k *Kernel) warnForgetful(err error) {
	if err != nil {
		k.forgetful.Do(func() { k.log.Warn("cells are not kept for the next kernel", "error", err) })
	}
}

// finish removes a cell from the running ones, withdraws its question, and
// reports whether the cell was interrupted.
func (k *Kernel) finish(c *Cell) (interrupted bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = slices.DeleteFunc(k.running, func(other *Cell) bool { return other == c })
	c.Withdraw() // so that the next cell doesn't get the answer
	return !c.interrupted.IsZero()
}

// isRunning reports whether a cell is still running.
func (k *Kernel) isRunning(c *Cell) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.running, c)
}

// forceAfter tells a second interrupt from a first one that was sent twice.
const forceAfter = 500 * time.Millisecond

// Interrupt cancels the context of every running cell, in all shells, because
// front ends don't say which cell they mean. A second call, more than
// forceAfter later, also closes the Forced channel of cells that still run, so
// that they end without cleaning up.
func (k *Kernel) Interrupt() { k.interrupt(nil) }

// interrupt is Interrupt for the cell of one shell, or for all cells if shell
// is nil. It doesn't wait for the cells to end.
func (k *Kernel) interrupt(shell *Shell) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.running {
		if shell != nil && c.shell != shell {
			continue
		}
		if c.interrupted.IsZero() {
			c.interrupted = time.Now()
		} else if time.Since(c.interrupted) > forceAfter {
			c.force()
		}
		c.cancel()
	}
}

// consoles remembers, by session, the last code that a front end asked about.
// Unlike notebooks, line consoles ask whether code is complete right before
// they run it.
type consoles struct {
	mu    sync.Mutex
	codes map[string]string // code by session
}

// maxConsoles bounds the memory taken by front ends that are gone.
const maxConsoles = 64

// remember keeps the code that a session asks about. If there are too many
// sessions, it forgets all of them first.
func (c *consoles) remember(session, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.codes == nil || len(c.codes) >= maxConsoles {
		c.codes = map[string]string{}
	}
	c.codes[session] = strings.TrimSpace(code)
}

// isTyped reports whether a session has just asked about this code, as consoles
// do, and forgets the code.
func (c *consoles) isTyped(session, code string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.codes[session]
	delete(c.codes, session)
	return ok && last == strings.TrimSpace(code)
}
