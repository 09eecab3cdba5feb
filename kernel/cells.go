package kernel

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/jupyter"
)

// serveCells answers Go cells: a view is drawn under the cell that asks, and what is not about the cell goes on to the host as it came.
func (k *Kernel) serveCells() {
	verbs := session.Handlers{}
	session.Handle(verbs, session.VerbOpen, k.openForCell)
	session.Handle(verbs, session.VerbClose, func(ctx context.Context, r session.NameRequest) (session.None, error) {
		return session.VerbClose.Call(ctx, k.host, r)
	})
	session.Handle(verbs, session.VerbStep, func(ctx context.Context, r session.StepRequest) (session.Status, error) {
		return advanceForCell(ctx, k, session.VerbStep, r, r.Session)
	})
	// A run that is not waited for is not the cell's: nothing is drawn, and its interrupt comes too late.
	session.Handle(verbs, session.VerbRun, func(ctx context.Context, r session.RunRequest) (session.Status, error) {
		if !r.Until.Waits() {
			return session.VerbRun.Call(ctx, k.host, r)
		}
		return advanceForCell(ctx, k, session.VerbRun, r, r.Session)
	})
	session.Handle(verbs, session.VerbRewind, func(ctx context.Context, r session.RewindRequest) (session.Status, error) {
		if e := k.cellOf(ctx); e != nil {
			ctx = e.context
		}
		return session.VerbRewind.Call(ctx, k.host, r)
	})
	session.Handle(verbs, session.VerbFork, func(ctx context.Context, r session.ForkRequest) (session.Status, error) {
		status, err := session.VerbFork.Call(ctx, k.host, r)
		k.usedByCell(ctx, status, err)
		return status, err
	})
	session.Handle(verbs, session.Verb[json.RawMessage, any]("view"), k.view)
	session.Handle(verbs, session.Verb[json.RawMessage, any]("input"), k.input)
	session.Handle(verbs, session.Verb[json.RawMessage, any]("show"), k.show)
	err := host.Serve(k.life, k.cells, session.Server{Verbs: verbs, Watch: k.host.Watch, Other: k.host.Forward, MaxLine: mostShown},
		k.connected)
	if err != nil {
		k.cells.Close() //nolint:errcheck // cells are told that nobody answers
	}
}

// openForCell makes what is opened the session used last.
func (k *Kernel) openForCell(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	died := k.host.TakeNotice()
	status, err := session.VerbOpen.Call(ctx, k.host, request)
	e := k.cellOf(ctx)
	if died != nil && (err != nil || e == nil || e.Silent()) { // nobody would read it here
		k.host.KeepNotice(died)
	} else if died != nil { // the cell's program does not look for it
		e.publish("stream", jupyter.Stream{Name: "stderr", Text: fault.Of(died).What + "; " + status.Session + ": " +
			cmp.Or(status.Reason, "opened again") + "\n"})
	}
	k.usedByCell(ctx, status, err)
	return status, err
}

// usedByCell makes what was opened the session used last. What an earlier cell left running does not take that from the one that runs.
func (k *Kernel) usedByCell(ctx context.Context, status session.Status, err error) {
	if err == nil && (k.cellOf(ctx) != nil || !k.busy()) {
		k.magics.Use(status.Session)
	}
}

// advanceForCell draws progress under the cell that asks, whose interrupt pauses it. What an earlier cell left running runs undrawn.
func advanceForCell[P any](ctx context.Context, k *Kernel, verb session.Verb[P, session.Status], params P, name string) (session.Status, error) {
	e := k.cellOf(ctx)
	if e == nil {
		return verb.Call(ctx, k.host, params)
	}
	report := e.sessions.report(name, func() func(session.Progress) { return k.magics.Progress(e.output) })
	stop := k.magics.Follow(ctx, session.On(k.host, name), report) // the end is drawn below, once
	status, err := verb.Call(e.context, k.host, params)
	if err = cmp.Or(err, stop()); err != nil {
		return status, err
	}
	report(session.Progress{Session: name, Target: status.Step, Status: status})
	if e.context.Err() != nil {
		// The cell learns of the interrupt here: its own signal may come later, and what stands behind the run must not be done.
		return status, fault.New(fault.Interrupted, "the next step or run goes on from there",
			"interrupted: session %q stands at step %d (epoch %.4g)", name, status.Step, status.Epoch)
	}
	return status, nil
}

// cellSessions has one display for each session that a cell advances, however often.
type cellSessions struct {
	mu     sync.Mutex
	byName map[string]func(session.Progress)
}

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

// view draws a view of a session under the cell that asks: {"view":…, "session":…, options}.
func (k *Kernel) view(ctx context.Context, params json.RawMessage) (any, error) {
	options := map[string]any{}
	if err := json.Unmarshal(params, &options); err != nil {
		return nil, fault.Wrap(err, fault.Request, "send one object", "the parameters of a view")
	}
	view, _ := options["view"].(string)
	name, _ := options["session"].(string)
	if view == "" || name == "" {
		return nil, fault.New(fault.Request, `send {"view":"matrix","session":"leukemia"}`, "a view needs its name and that of its session")
	}
	delete(options, "view")
	delete(options, "session")
	e := k.cellOf(ctx)
	if e == nil {
		return nil, k.nobody(ctx, "to draw")
	}
	if err := k.magics.View(ctx, view, name, options, e.output); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}
