package kernel

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/boundary"
	"fsnetlab/kernel/internal/trainer"
	"fsnetlab/kernel/wire"
)

// serveCells answers Go cells: the verbs of sessions are the host's; a view is drawn under the cell that asks.
func (k *Kernel) serveCells() {
	err := host.Serve(k.life, k.cells, cellService{k.host.Service(), k}, host.ServeOptions{
		Extra: map[string]host.Handler{"view": k.guarded("view", k.view), "input": k.guarded("input", k.input)}, Connected: k.connected,
	})
	if err != nil {
		k.cells.Close() //nolint:errcheck // cells are told that nobody answers
	}
}

// guarded makes an error of a panic, where it was.
func (k *Kernel) guarded(method string, handle host.Handler) host.Handler {
	return func(ctx context.Context, params json.RawMessage) (result any, err error) {
		err = boundary.Do(k.options.Log, method, func() error {
			result, err = handle(ctx, params)
			return err
		})
		return result, err
	}
}

// cellService is the host's verbs as Go cells get them: steps and runs are drawn under the cell that asks, and paused when it is
// interrupted.
type cellService struct {
	trainer.Service
	kernel *Kernel
}

var _ session.Service = cellService{}

// Open implements session.Service. What is opened becomes the session used last, unless it was not the cell that opened it.
func (c cellService) Open(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	died := c.kernel.host.Tell()
	status, err := c.Service.Open(ctx, request)
	e := c.kernel.asking(ctx)
	if died != nil && (err != nil || e == nil || e.Silent()) { // nobody would read it here
		c.kernel.host.Owe(died)
	} else if died != nil { // the cell's program does not look for it
		e.publish("stream", wire.Stream{Name: "stderr", Text: fault.Of(died).What + "; " + status.Session + ": " + cmp.Or(status.Reason, "opened again") + "\n"})
	}
	c.uses(ctx, status, err)
	return status, err
}

// uses makes what was opened the session used last. What an earlier cell left running does not take that from the one that runs.
func (c cellService) uses(ctx context.Context, status session.Status, err error) {
	if err == nil && (c.kernel.asking(ctx) != nil || c.kernel.current() == nil) {
		c.kernel.magics.Use(status.Session)
	}
}

// Step implements session.Service.
func (c cellService) Step(ctx context.Context, name string, n int) (session.Status, error) {
	return c.advance(ctx, name, func(ctx context.Context) (session.Status, error) { return c.Service.Step(ctx, name, n) })
}

// Run implements session.Service. One that is not waited for is not the cell's: nothing is drawn, and its interrupt comes too late.
func (c cellService) Run(ctx context.Context, name string, until session.Until) (session.Status, error) {
	if !until.Waits() {
		return c.Service.Run(ctx, name, until)
	}
	return c.advance(ctx, name, func(ctx context.Context) (session.Status, error) { return c.Service.Run(ctx, name, until) })
}

// Rewind implements session.Service.
func (c cellService) Rewind(ctx context.Context, name string, step int) (session.Status, error) {
	if e := c.kernel.asking(ctx); e != nil {
		ctx = e.context
	}
	return c.Service.Rewind(ctx, name, step)
}

// Fork implements session.Service. The new session becomes the one used last, as with open.
func (c cellService) Fork(ctx context.Context, name string, request session.ForkRequest) (session.Status, error) {
	status, err := c.Service.Fork(ctx, name, request)
	c.uses(ctx, status, err)
	return status, err
}

// advance draws progress under the cell that asks, whose interrupt pauses it. What an earlier cell left running runs undrawn.
func (c cellService) advance(ctx context.Context, name string, verb func(context.Context) (session.Status, error)) (session.Status, error) {
	e := c.kernel.asking(ctx)
	if e == nil {
		return verb(ctx)
	}
	report := e.sessions.report(name, func() func(session.Progress) { return c.kernel.magics.Progress(e.output) })
	stop := c.kernel.magics.Follow(ctx, c.Service, name, report) // the end is drawn below, once
	status, err := verb(e.context)
	undrawn := stop()
	if err != nil {
		return status, err
	}
	if undrawn != nil {
		return status, undrawn
	}
	report(session.Progress{Session: name, Target: status.Step, Status: status})
	if e.context.Err() != nil {
		// The cell learns of the interrupt here: its own signal may come later, and what stands behind the run must not be done.
		return status, fault.New(fault.Interrupted, "the next step or run goes on from there", "interrupted: session %q stands at step %d (epoch %.4g)", name, status.Step, status.Epoch)
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
		return nil, fault.New(fault.Request, `send {"view":"matrix","session":"leukemia"}`, "a view needs its name and its session's")
	}
	delete(options, "view")
	delete(options, "session")
	e := k.asking(ctx)
	if e == nil {
		return nil, k.nobody(ctx, "to draw")
	}
	if err := k.magics.View(ctx, view, name, options, e.output); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}
