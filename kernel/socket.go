package kernel

import (
	"cmp"
	"context"
	"net"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
)

// serveCells answers the programs of Go cells until the kernel ends. Pictures
// appear below the cell that asks for them. All other verbs go to the host
// unchanged.
func (k *Kernel) serveCells() {
	verbs := session.Handlers{}
	session.Handle(verbs, session.VerbOpen, k.openForCell)
	session.Handle(verbs, session.VerbClose, func(ctx context.Context, r session.NameRequest) (session.None, error) {
		return session.VerbClose.Call(ctx, k.host, r)
	})
	session.Handle(verbs, session.VerbStep, func(ctx context.Context, r session.StepRequest) (session.Status, error) {
		return advanceForCell(ctx, k, session.VerbStep, r, r.Session)
	})
	// If a cell doesn't wait for its run, the run draws nothing, and an
	// interrupt of the cell doesn't pause it.
	session.Handle(verbs, session.VerbRun, func(ctx context.Context, r session.RunRequest) (session.Status, error) {
		if !r.Until.Waits() {
			status, err := session.VerbRun.Call(ctx, k.host, r)
			k.useForCell(ctx, status, err)
			return status, err
		}
		return advanceForCell(ctx, k, session.VerbRun, r, r.Session)
	})
	session.Handle(verbs, session.VerbPause, func(ctx context.Context, r session.NameRequest) (session.Status, error) {
		status, err := session.VerbPause.Call(ctx, k.host, r)
		k.useForCell(ctx, status, err)
		return status, err
	})
	session.Handle(verbs, session.VerbRewind, func(ctx context.Context, r session.RewindRequest) (session.Status, error) {
		if e := k.cellOf(ctx); e != nil {
			ctx = e.context
		}
		status, err := session.VerbRewind.Call(ctx, k.host, r)
		k.useForCell(ctx, status, err)
		return status, err
	})
	session.Handle(verbs, session.VerbSet, func(ctx context.Context, r session.SetRequest) (session.Event, error) {
		event, err := session.VerbSet.Call(ctx, k.host, r)
		k.useForCell(ctx, session.Status{Session: r.Session}, err)
		return event, err
	})
	session.Handle(verbs, session.VerbFork, func(ctx context.Context, r session.ForkRequest) (session.Status, error) {
		status, err := session.VerbFork.Call(ctx, k.host, r)
		k.useForCell(ctx, status, err)
		return status, err
	})
	session.Handle(verbs, session.VerbView, k.view)
	session.Handle(verbs, session.VerbInput, k.input)
	session.Handle(verbs, session.VerbShow, k.show)

	server := session.Server{Verbs: verbs, Watch: k.host.Watch, Other: k.host.Forward, MaxLine: maxShown}
	var serving sync.WaitGroup
	defer serving.Wait()

	for {
		select {
		case listener := <-k.listeners:
			serving.Go(func() {
				if host.Serve(k.loop.Life(), listener, server, k.withCaller) != nil {
					listener.Close() //nolint:errcheck // then connections are refused
				}
			})
		case <-k.loop.Life().Done():
			return
		}
	}
}

// openForCell opens a session. Unless the session was open already, it makes it
// the current one. If the host has died and no verb has reported it,
// openForCell shows that below the cell, or leaves it to the next verb.
func (k *Kernel) openForCell(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	died := k.host.TakeNotice()
	there := k.isOpen(ctx, request.Session)
	status, err := session.VerbOpen.Call(ctx, k.host, request)

	e := k.cellOf(ctx)
	if died != nil && (err != nil || e == nil || e.Silent()) { // no cell would show it
		k.host.KeepNotice(died)
	} else if died != nil { // the program doesn't print the warning of the status
		e.print("stderr", errs.Of(died).What+"; "+status.Session+": "+cmp.Or(status.Reason, "opened again")+"\n")
	}

	if !there { // otherwise a look may follow; a verb that changes the session makes it the current one
		k.useForCell(ctx, status, err)
	}

	return status, err
}

// isOpen reports whether a running host has a session of that name open.
func (k *Kernel) isOpen(ctx context.Context, name string) bool {
	host, err := k.host.ForMagics(magic.WithoutStart(ctx))
	if err != nil {
		return false
	}
	_, err = session.VerbStatus.Call(ctx, host, session.NameRequest{Session: name})
	return err == nil
}

// useForCell makes a session the current one. It does nothing if a cell is
// running and the session was used by a program that an earlier cell left
// running.
func (k *Kernel) useForCell(ctx context.Context, status session.Status, err error) {
	if err == nil && (k.cellOf(ctx) != nil || !k.loop.Busy()) {
		k.magics.Use(status.Session)
	}
}

// advanceForCell runs a step or run, draws its progress below the cell that
// asks for it, and pauses it when the cell is interrupted. For a program that
// an earlier cell left running, it draws nothing.
func advanceForCell[P any](ctx context.Context, k *Kernel, verb session.Verb[P, session.Status], params P, name string) (session.Status, error) {
	e := k.cellBelow(ctx)
	if e == nil {
		return verb.Call(ctx, k.host, params)
	}

	report := e.sessions.report(name, func() func(session.Progress) { return k.magics.Progress(e) })
	stop := k.magics.Follow(ctx, session.On(k.host, name), report) // the end is drawn once, below
	status, err := verb.Call(e.context, k.host, params)
	k.useForCell(ctx, status, err)

	if err = cmp.Or(err, stop()); err != nil {
		return status, err
	}

	report(session.Progress{Session: name, Target: status.Step, Status: status})
	if e.context.Err() != nil {
		// The program must stop here, because its signal may arrive later, when
		// it is already past the run.
		return status, errs.New(errs.Interrupted, "the next step or run goes on from there",
			"interrupted: session %q stands at step %d (epoch %.4g)", name, status.Step, status.Epoch)
	}

	return status, nil
}

// cellSessions holds one display for each session that a cell advances.
type cellSessions struct {
	mu     sync.Mutex
	byName map[string]func(session.Progress)
}

// report returns the function that draws a session's progress. The first call
// for a session creates it with start.
func (s *cellSessions) report(name string, start func() func(session.Progress)) func(session.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		s.byName = map[string]func(session.Progress){}
	}
	if s.byName[name] == nil {
		s.byName[name] = start()
	}
	return s.byName[name]
}

// view draws a view of a session below the cell that asks for it. It fails if
// there is no such cell.
func (k *Kernel) view(ctx context.Context, request session.ViewRequest) (session.None, error) {
	if request.View == "" || request.Session == "" {
		return session.None{}, errs.New(errs.Request, `send {"view":"matrix","session":"leukemia"}`, "a view needs its name and that of its session")
	}

	e := k.cellBelow(ctx)
	if e == nil {
		return session.None{}, k.noCellError("to draw")
	}

	return session.None{}, k.magics.View(ctx, request, e)
}

// callerKey is the context key of withCaller.
type callerKey struct{}

// withCaller adds the ancestry of the connected program to the context. The
// ancestry is empty on systems without /proc.
func (k *Kernel) withCaller(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, callerKey{}, process.Ancestry(process.Peer(conn)))
}

// cellOf returns the running cell that has started the calling program. It
// returns nil if there is none, for example because an earlier cell left the
// program running. If the ancestry is unknown, it returns the cell whose Go
// code runs.
func (k *Kernel) cellOf(ctx context.Context) *execution {
	caller, _ := ctx.Value(callerKey{}).([]process.Key)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.running {
		if len(caller) == 0 && e.hasLock || len(caller) > 0 && e.interrupter != nil && e.interrupter.Started(caller) {
			return e
		}
	}
	return nil
}

// cellBelow returns the cell of a request, or nil. Before it returns, it waits
// until everything that the cell has written so far was published.
func (k *Kernel) cellBelow(ctx context.Context) *execution {
	e := k.cellOf(ctx)
	if child := k.gonb.keeper.Current(); e != nil && child != nil {
		child.Flush(e.context)
	}
	return e
}

// noCellError returns the error for a request that only the program of a
// running cell can make.
func (k *Kernel) noCellError(what string) error {
	why := "this program was not started by a cell, or its cell has ended"
	if !k.loop.Busy() {
		why = "no cell is running"
	}
	return errs.New(errs.Request, "ask in a cell, while it runs", "%s, so there is nowhere %s", why, what)
}

const (
	// maxShown bounds the JSON of one value that a cell shows, in bytes.
	// Package widgets has a lower limit, with a message.
	maxShown = 32 << 20
	// shownPrefix separates the display ids of cells from those of the kernel.
	shownPrefix = "shown-"
	maxID       = 200
)

// show displays a value below the cell that asks for it. If the value has an
// id, show updates the display of that id. It fails if there is no such cell.
func (k *Kernel) show(ctx context.Context, value session.ShowRequest) (none session.None, err error) {
	if value.View != "" {
		picture, err := magic.Picture(value.View, value.Value)
		if err != nil {
			return none, err
		}
		value.Data, value.Metadata = picture.Bundle(), picture.Metadata()
	}

	text, ok := value.Data[chart.MIMEText].(string)
	switch {
	case !ok:
		return none, errs.New(errs.Request, `send {"data":{"text/plain":"…"}}`, "a value to show has no text/plain")
	case len(value.ID) > maxID:
		return none, errs.New(errs.Request, "shorten it", "the name of a display has %d bytes, more than %d", len(value.ID), maxID)
	}

	e := k.cellBelow(ctx)
	if e == nil {
		return none, k.noCellError("to show anything")
	}

	if value.Metadata == nil {
		value.Metadata = map[string]any{}
	}
	data := jupyter.DisplayData{Data: value.Data, Metadata: value.Metadata}
	k.loop.Pace() // a cell may show values faster than front ends read

	if value.ID == "" {
		e.flush()
		e.publish("display_data", data)
		return none, nil
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	if e.console != nil {
		e.rewrite(chart.Picture{Text: text})
		return none, nil
	}

	data.Transient.DisplayID = shownPrefix + value.ID
	e.update(data.Transient.DisplayID, data)
	return none, nil
}

// ask passes an input_request of GoNB to the front end that runs the cell. It
// does nothing if GoNB has ended.
func (k *Kernel) ask(e *execution, m jupyter.Message) {
	if child := k.gonb.keeper.Current(); child != nil {
		e.cell.Withdraw() // GoNB asks again only after it has given up the last question
		e.cell.Ask(m.Content, child.Input)
	}
}

// input asks the user of the cell for a line and waits for it. The wait ends
// early if the cell is interrupted or its program ends.
func (k *Kernel) input(ctx context.Context, request session.InputRequest) (line string, err error) {
	e := k.cellBelow(ctx)
	switch {
	case e == nil:
		return "", k.noCellError("to ask")
	case !e.cell.Request.AllowStdin:
		return "", errs.New(errs.Request, "give the value in the cell", "this front end cannot ask for input (%q)", request.Prompt)
	}

	answers := make(chan jupyter.Message, 1)
	withdraw, open := e.cell.Ask(jupyter.InputRequest(request), func(m jupyter.Message) { answers <- m })
	defer withdraw()

	if !open {
		return "", errs.New(errs.Busy, "ask one after the other", "another question is open, or the cell has ended")
	}

	select {
	case m := <-answers:
		var reply jupyter.InputReply
		if err := m.Decode(&reply); err != nil {
			return "", errs.Wrap(err, errs.Request, "", "the answer")
		}
		return reply.Value, nil
	case <-e.context.Done():
	case <-ctx.Done():
	}
	return "", errs.New(errs.Interrupted, "", "interrupted: the question %q was not answered", request.Prompt)
}
