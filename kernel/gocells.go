package kernel

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/wire"
)

// goCells is the kernel's GoNB: started in the background, and again by the next Go cell once it has died.
type goCells struct {
	disabled bool
	options  gonb.Options

	starting  process.Gate // one start at a time
	mu        sync.Mutex
	workspace *gonb.Workspace
	child     *gonb.Child
	prepared  bool   // the prelude was run
	ended     bool   // by stop
	reported  bool   // a cell said that the child has ended
	note      string // what the next cell is to say first: a wrong version, how the last GoNB ended, what is wrong with the prelude
}

// warm starts GoNB before the first cell needs it. An error shows again, and is reported, when one does.
func (g *goCells) warm(ctx context.Context) {
	g.get(ctx) //nolint:errcheck // see above
}

// current is the child that runs, or nil.
func (g *goCells) current() *gonb.Child {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child == nil {
		return nil
	}
	select {
	case <-g.child.Done():
		return nil
	default:
		return g.child
	}
}

// get is the child, started and prepared.
func (g *goCells) get(ctx context.Context) (*gonb.Child, error) {
	if g.disabled {
		return nil, fault.New(fault.Unavailable, "write %fsnet lines", "this kernel runs no Go cells")
	}
	if err := g.starting.Enter(ctx); err != nil {
		return nil, fault.New(fault.Interrupted, "", "waiting for gonb was interrupted")
	}
	defer g.starting.Leave()
	child := g.current()
	if child == nil {
		var err error
		if child, err = g.start(ctx); err != nil {
			return nil, err
		}
	}
	g.prepare(ctx, child)
	return child, nil
}

func (g *goCells) start(ctx context.Context) (*gonb.Child, error) {
	g.mu.Lock()
	dead, ended := g.child, g.ended
	silent := dead != nil && !g.reported
	g.reported = false
	g.mu.Unlock()
	if ended {
		return nil, fault.New(fault.Unavailable, "", "the kernel is shutting down")
	}
	if dead != nil {
		dead.Stop(0) // what it left behind
		g.endStarted()
	}
	if silent {
		g.say(dead.How() + ", and was started again: what earlier cells declared is forgotten, run those cells first\n")
	}
	w, err := g.space()
	if err != nil {
		return nil, err
	}
	child, err := gonb.Start(ctx, w)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.child, g.prepared = child, false
	if err == nil && g.ended {
		child.Stop(0)
		err = fault.New(fault.Unavailable, "", "the kernel is shutting down")
	}
	return child, err
}

// space is the directory of the Go cells, made where there is none.
func (g *goCells) space() (*gonb.Workspace, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workspace == nil && g.ended {
		return nil, fault.New(fault.Unavailable, "", "the kernel is shutting down")
	}
	if g.workspace == nil {
		w, err := gonb.NewWorkspace(g.options)
		if err != nil {
			return nil, err
		}
		g.workspace = w
		if err := gonb.CheckVersion(w.Tools.GoNB); err != nil {
			g.note += err.Error() + "\n"
		}
	}
	return g.workspace, nil
}

// packageOf is the package that a cell would be compiled in now; see gonb.Memory.
func (g *goCells) packageOf(code string) (cell, remembered string, first int) {
	g.mu.Lock()
	child, prepared, w := g.child, g.prepared, g.workspace
	g.mu.Unlock()
	if child != nil && prepared {
		return child.Package(code)
	}
	var m gonb.Memory
	if w != nil {
		m.Keep(0, w.Prelude())
	}
	return m.Package(code)
}

// prepare runs the hidden first cell.
func (g *goCells) prepare(ctx context.Context, child *gonb.Child) {
	g.mu.Lock()
	prelude, done := g.workspace.Prelude(), g.prepared
	g.mu.Unlock()
	if done || prelude == "" {
		return
	}
	over := make(chan struct{})
	defer close(over)
	go abandon(child, over, ctx.Done(), func() string { return "" })
	reply, err := child.Execute(ctx, gonb.Cell{
		Request: wire.NewMessage(wire.NewID(), "execute_request", nil), Code: prelude, Hidden: true, Publish: func(wire.Message) {},
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prepared = err == nil && ctx.Err() == nil
	if g.prepared && reply.Name != "" {
		g.note += "the packages fsnetlab/… cannot be used in Go cells: " + reply.Value + "\n"
	}
}

// forget makes the next cell run the prelude again, as after %reset.
func (g *goCells) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prepared = false
}

func (g *goCells) say(note string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note += note
}

// report remembers that a cell says how its child ended.
func (g *goCells) report() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reported = true
}

func (g *goCells) takeNote() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	note := g.note
	g.note = ""
	return note
}

// stop ends GoNB and removes its directory.
func (g *goCells) stop(grace time.Duration) {
	g.mu.Lock()
	g.ended = true
	child := g.child
	g.mu.Unlock()
	if child != nil {
		child.Stop(grace)
	}
	if g.starting.Enter(context.Background()) == nil { // a start that was under way has seen ended
		defer g.starting.Leave()
	}
	if child != nil {
		g.endStarted()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workspace != nil {
		g.workspace.Close() //nolint:errcheck // the next kernel sweeps it
	}
}

// endStarted ends what cells have started and what is no longer in GoNB's group: that has ended with it.
func (g *goCells) endStarted() { process.EndMarked(g.options.Mark, orphanGrace) }

// runGo runs a cell's Go code.
func (k *Kernel) runGo(e *execution, code string) outcome {
	code = strings.ReplaceAll(code, "\r\n", "\n") // GoNB does not know a line by its name with a \r
	child, err := k.gonb.get(e.context)
	if note := k.gonb.takeNote(); note != "" {
		e.publish("stream", wire.Stream{Name: "stderr", Text: note})
	}
	if err != nil {
		return outcome{fault: err}
	}
	reply, err := k.runIn(child, e, gonb.Cell{
		Request: e.parent, Code: code, Count: e.count, Hidden: !e.request.StoreHistory, AllowStdin: e.request.AllowStdin,
		Publish: func(m wire.Message) { k.relay(e, m) },
		Ask:     func(m wire.Message) { k.ask(e, m) },
	})
	if err != nil {
		k.gonb.report()
	}
	if resets(code) {
		k.gonb.forget()
	}
	return outcome{reply, err}
}

// runIn runs one program; an interrupt ends all that it has started.
func (k *Kernel) runIn(child *gonb.Child, e *execution, cell gonb.Cell) (gonb.Reply, error) {
	over := make(chan struct{})
	hunted := newHunt(child.ID(), k.gonb.options.Mark)
	hunted.lasts = func() { e.remark(stillCleaning) }
	stop := context.AfterFunc(e.context, func() { hunted.run(over, e.insisted) })
	defer stop()
	defer close(over)
	go abandon(child, over, e.insisted, hunted.outOfReach)
	cell.Hunted, cell.Number = process.Sees(), e.number
	reply, err := child.Execute(e.context, cell)
	if e.context.Err() != nil {
		hunted.round(true, false) // what it has started last; from now on what is new is another cell's
		if err != nil {
			err = fault.New(fault.Interrupted, fault.Of(err).Remedy, "the cell was interrupted; %s", fault.Of(err).What)
		}
	}
	return reply, err
}

// insistLimit is how long GoNB has to end a cell once somebody has insisted: its processes are killed at once, and it reports that. With it
// go the declarations, so a busy machine gets some time.
const insistLimit = 3 * time.Second

// abandon ends GoNB where a cell is not over a while after somebody has insisted: it was stopped, or waits for a program that nobody here
// can end. beyond names those.
func abandon(child *gonb.Child, over, insisted <-chan struct{}, beyond func() string) {
	select {
	case <-insisted:
	case <-over:
		return
	}
	select {
	case <-over:
	case <-time.After(insistLimit):
		child.Abandon("did not end it and was killed" + beyond())
	}
}

// relay publishes what GoNB did, under the front end's own header.
func (k *Kernel) relay(e *execution, m wire.Message) {
	if e.request.Silent {
		return
	}
	e.makeRoom()
	answer := e.parent.Answer(k.session, m.Header.Type, m.Content)
	answer.Metadata, answer.Buffers = m.Metadata, m.Buffers
	k.server.IOPub.Pace() // a cell may print faster than anybody reads
	k.server.IOPub.Publish(answer)
}

// resets reports whether a cell tells GoNB to forget its declarations, the prelude's included.
func resets(code string) bool {
	return slices.ContainsFunc(strings.Split(code, "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "%reset")
	})
}
