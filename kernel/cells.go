package kernel

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/fault/boundary"
	"fsnetlab/fsnet/host/rpc"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/jupyter"
)

// serveCells answers Go cells: the verbs of sessions are the host's; a view is drawn under the cell that asks.
func (k *Kernel) serveCells() {
	err := rpc.Serve(k.life, k.cells, session.Verbs{Caller: cellCalls{k.host, k}}, rpc.ServeOptions{
		Extra: map[string]rpc.Handler{"view": k.guarded("view", k.view), "input": k.guarded("input", k.input),
			"show": k.guarded("show", k.show)},
		Connected: k.connected, MaxLine: mostShown,
	})
	if err != nil {
		k.cells.Close() //nolint:errcheck // cells are told that nobody answers
	}
}

// guarded makes an error of a panic, where it was.
func (k *Kernel) guarded(method string, handle rpc.Handler) rpc.Handler {
	return func(ctx context.Context, params json.RawMessage) (result any, err error) {
		err = boundary.Do(k.options.Log, method, func() error {
			result, err = handle(ctx, params)
			return err
		})
		return result, err
	}
}

// cellCalls passes the requests of Go cells on to the host: steps and runs are drawn under the cell that asks, and paused when it is
// interrupted; what is opened becomes the session used last.
type cellCalls struct {
	session.Caller
	kernel *Kernel
}

// Call implements session.Caller. A run that is not waited for is not the cell's: nothing is drawn, and its interrupt comes too late.
func (c cellCalls) Call(ctx context.Context, method string, params, result any) error {
	switch p := params.(type) {
	case session.OpenRequest:
		return c.open(ctx, p, result.(*session.Status))
	case session.StepParams:
		return c.advance(ctx, p.Session, method, params, result.(*session.Status))
	case session.RunParams:
		if p.Until.Waits() {
			return c.advance(ctx, p.Session, method, params, result.(*session.Status))
		}
	case session.RewindParams:
		if e := c.kernel.cellOf(ctx); e != nil {
			ctx = e.context
		}
	case session.ForkParams:
		err := c.Caller.Call(ctx, method, params, result)
		c.uses(ctx, result.(*session.Status), err)
		return err
	}
	return c.Caller.Call(ctx, method, params, result)
}

func (c cellCalls) open(ctx context.Context, request session.OpenRequest, status *session.Status) error {
	died := c.kernel.host.TakeNotice()
	err := c.Caller.Call(ctx, "open", request, status)
	e := c.kernel.cellOf(ctx)
	if died != nil && (err != nil || e == nil || e.Silent()) { // nobody would read it here
		c.kernel.host.KeepNotice(died)
	} else if died != nil { // the cell's program does not look for it
		e.publish("stream", jupyter.Stream{Name: "stderr", Text: fault.Of(died).What + "; " + status.Session + ": " +
			cmp.Or(status.Reason, "opened again") + "\n"})
	}
	c.uses(ctx, status, err)
	return err
}

// uses makes what was opened the session used last. What an earlier cell left running does not take that from the one that runs.
func (c cellCalls) uses(ctx context.Context, status *session.Status, err error) {
	if err == nil && (c.kernel.cellOf(ctx) != nil || !c.kernel.busy()) {
		c.kernel.magics.Use(status.Session)
	}
}

// advance draws progress under the cell that asks, whose interrupt pauses it. What an earlier cell left running runs undrawn.
func (c cellCalls) advance(ctx context.Context, name, method string, params any, status *session.Status) error {
	e := c.kernel.cellOf(ctx)
	if e == nil {
		return c.Caller.Call(ctx, method, params, status)
	}
	report := e.sessions.report(name, func() func(session.Progress) { return c.kernel.magics.Progress(e.output) })
	stop := c.kernel.magics.Follow(ctx, session.Verbs{Caller: c.Caller}, name, report) // the end is drawn below, once
	err := c.Caller.Call(e.context, method, params, status)
	if err = cmp.Or(err, stop()); err != nil {
		return err
	}
	report(session.Progress{Session: name, Target: status.Step, Status: *status})
	if e.context.Err() != nil {
		// The cell learns of the interrupt here: its own signal may come later, and what stands behind the run must not be done.
		return fault.New(fault.Interrupted, "the next step or run goes on from there", "interrupted: session %q stands at step %d (epoch %.4g)",
			name, status.Step, status.Epoch)
	}
	return nil
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
