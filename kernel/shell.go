package kernel

import (
	"encoding/json"
	"runtime"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/errs/boundary"
	"fsnetlab/kernel/jupyter"
)

// readShell answers what can be answered at once and queues cells.
func (k *Kernel) readShell() {
	for m := range k.server.Shell.Messages() {
		shell, err := k.shells.Find(m.Header.Subshell)
		switch kind := m.Header.Type; {
		case kind == "comm_open" || kind == "comm_msg" || kind == "comm_close":
			// One of a subshell that is no longer there is delivered: a page deletes its subshell while the last messages are on their way.
			if errs.Is(err, errs.Request) {
				k.refuseComm(m, err)
			} else {
				k.comm(m)
			}
		case err != nil && kind != "kernel_info_request": // which a front end asks to learn what it has to do with
			k.refuse(m, failure(err))
		case kind == "execute_request":
			if !shell.Put(m) {
				k.refuse(m, jupyter.StatusReply{Status: "aborted"})
			}
		case kind == "complete_request" || kind == "inspect_request": // these may ask GoNB
			go k.answer(m, k.server.Shell)
		default:
			k.answer(m, k.server.Shell)
		}
	}
}

// readControl is always alive: interrupts, shutdown, and what else a front end asks here.
func (k *Kernel) readControl() {
	for m := range k.server.Control.Messages() {
		switch m.Header.Type {
		case "complete_request", "inspect_request": // an interrupt must not wait behind them
			go k.answer(m, k.server.Control)
		default:
			k.answer(m, k.server.Control)
		}
	}
}

// answer handles one request that is not a cell, between busy and idle as the protocol wants it. Front ends take the last status for
// the kernel's, so a cell that runs says again that it does.
func (k *Kernel) answer(m jupyter.Message, from *jupyter.Router) {
	k.publish(m, "status", jupyter.Status{State: "busy"})
	handle := k.handlers()[m.Header.Type]
	if handle == nil && from == k.server.Control {
		handle = k.subshellHandlers()[m.Header.Type]
	}
	shutdown := false
	if handle != nil {
		replyType, content := k.handled(m, handle)
		from.Send(m.Reply(k.session, replyType, content))
		shutdown = replyType == "shutdown_reply"
		if shutdown {
			k.publish(m, replyType, content) // other front ends of this kernel
		}
	}
	k.publish(m, "status", jupyter.Status{State: "idle"})
	if shutdown {
		k.shutdown()
		return
	}
	k.sayBusy()
}

// handled is a request's answer. A handler that panics has failed with this request alone.
func (k *Kernel) handled(m jupyter.Message, handle func(jupyter.Message) (string, any)) (replyType string, content any) {
	err := boundary.Do(k.options.Log, m.Header.Type, func() error {
		replyType, content = handle(m)
		return nil
	})
	if err != nil {
		return replyTo(m), failure(err)
	}
	return replyType, content
}

// handlers are the requests that are answered at once. A request that is not here is not answered, as the protocol wants it.
func (k *Kernel) handlers() map[string]func(jupyter.Message) (replyType string, content any) {
	return map[string]func(jupyter.Message) (string, any){
		"kernel_info_request": k.kernelInfo,
		"is_complete_request": k.isComplete,
		"history_request":     k.showHistory,
		"comm_info_request":   k.commInfo,
		"complete_request":    k.complete,
		"inspect_request":     k.inspect,
		"interrupt_request":   k.interruptRequest,
		"shutdown_request":    k.shutdownRequest,
	}
}

// interruptRequest interrupts all that runs, or what runs in the subshell that the header names.
func (k *Kernel) interruptRequest(m jupyter.Message) (string, any) {
	shell, err := k.shells.Find(m.Header.Subshell)
	if err != nil {
		return "interrupt_reply", failure(err)
	}
	if shell == k.shells.Main {
		shell = nil
	}
	k.interrupt(shell)
	return "interrupt_reply", jupyter.StatusReply{Status: "ok"}
}

func (k *Kernel) shutdownRequest(m jupyter.Message) (string, any) {
	var request jupyter.Shutdown
	m.Decode(&request) //nolint:errcheck // it shuts down either way
	return "shutdown_reply", jupyter.Shutdown{Status: "ok", Restart: request.Restart}
}

// replyTo is the type of the reply to a request.
func replyTo(m jupyter.Message) string {
	return strings.Replace(m.Header.Type, "_request", "_reply", 1)
}

// failure is the content of the reply to a request that failed.
func failure(err error) jupyter.ErrorReply {
	failed := describe(err)
	return jupyter.ErrorReply{Status: "error", Name: failed.Name, Value: failed.Value, Traceback: failed.Traceback}
}

func badRequest(replyType string, err error) (string, any) {
	return replyType, jupyter.ErrorReply{Status: "error", Name: "BadRequest", Value: err.Error(), Traceback: []string{}}
}

// subshellHandlers are the requests about subshells, which the protocol has on the control socket alone.
func (k *Kernel) subshellHandlers() map[string]func(jupyter.Message) (replyType string, content any) {
	return map[string]func(jupyter.Message) (string, any){
		"create_subshell_request": k.createSubshell,
		"delete_subshell_request": k.deleteSubshell,
		"list_subshell_request":   k.listSubshells,
	}
}

func (k *Kernel) createSubshell(jupyter.Message) (string, any) {
	shell, err := k.shells.Create(func(s *jupyter.Shell) { k.workers.Go(func() { k.work(s) }) })
	if err != nil {
		return "create_subshell_reply", failure(err)
	}
	return "create_subshell_reply", jupyter.SubshellReply{Status: "ok", ID: shell.ID}
}

// deleteSubshell ends a subshell. Cells that wait in it are not run; one that runs goes on, since it may be a training.
func (k *Kernel) deleteSubshell(m jupyter.Message) (string, any) {
	var request struct {
		ID json.RawMessage `json:"subshell_id"`
	}
	if err := m.Decode(&request); err != nil {
		return badRequest("delete_subshell_reply", err)
	}
	waiting, err := k.shells.Delete(string(request.ID))
	if err != nil {
		return "delete_subshell_reply", failure(err)
	}
	for _, cell := range waiting {
		k.refuse(cell, jupyter.StatusReply{Status: "aborted"})
	}
	return "delete_subshell_reply", jupyter.StatusReply{Status: "ok"}
}

func (k *Kernel) listSubshells(jupyter.Message) (string, any) {
	return "list_subshell_reply", jupyter.SubshellsReply{Status: "ok", IDs: k.shells.IDs()}
}

func (k *Kernel) kernelInfo(jupyter.Message) (string, any) {
	return "kernel_info_reply", jupyter.KernelInfo{
		Status: "ok", ProtocolVersion: jupyter.ProtocolVersion, Implementation: "fsnet", ImplementationVersion: k.options.Version,
		LanguageInfo: jupyter.LanguageInfo{
			Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go"), MIMEType: "text/x-go", FileExtension: ".go",
			PygmentsLexer: "go", CodeMirrorMode: "go",
		},
		Banner: "FsNet " + k.options.Version +
			": %fsnet open leukemia data=ALLAML opens a training, %fsnet help lists the verbs; everything else is Go",
		SupportedFeatures: []string{"iopub_welcome", "kernel subshells"}, // of the optional ones the debugger is what we have not
		HelpLinks: []jupyter.HelpLink{
			{Text: "Go", URL: "https://go.dev/ref/spec"},
			{Text: "GoNB", URL: "https://github.com/janpfeifer/gonb"},
			{Text: "GoMLX", URL: "https://gomlx.github.io/"},
		},
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (k *Kernel) showHistory(m jupyter.Message) (string, any) {
	var request jupyter.HistoryRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("history_reply", err)
	}
	reply := jupyter.HistoryReply{Status: "ok", History: [][]any{}}
	for _, cell := range k.history.Find(request) {
		var what any = cell.Code
		if request.Output {
			what = []any{cell.Code, orNull(cell.Result)}
		}
		reply.History = append(reply.History, []any{cell.Session, cell.Count, what})
	}
	return "history_reply", reply
}

// remembered says in the log, once, that cells are not kept.
func (k *Kernel) remembered(err error) {
	if err != nil {
		k.forgetful.Do(func() { k.options.Log.Warn("cells are not kept for the next kernel", "error", err) })
	}
}
