package gonb

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

// StartLimit is how long GoNB may take to answer for the first time; it takes a third of a second on a quiet machine.
const StartLimit = 30 * time.Second

// Child is a running GoNB. Its methods may be called from any goroutine; cells run one at a time.
type Child struct {
	workspace *Workspace
	process   *process.Process
	client    *jupyter.Client
	heartbeat *process.Heartbeat

	executing process.Lock // one cell at a time

	remembering sync.Mutex
	memory      memory
	prepared    bool   // the prelude was run
	running     string // the Go code of the cell that runs now; it may compile

	over     chan struct{} // closed once the process has ended or was given up
	givingUp sync.Once
	why      string // it was given up; "": the process has ended by itself

	readers sync.WaitGroup // of what GoNB says
	heard   atomic.Int64   // messages that it published

	mu      sync.Mutex
	pending map[string]*pending // by message id: requests that wait, and the last cells, whose output may be late
	current *pending            // the cell that was sent last
	late    []string            // ids of the last cells, oldest first
}

// Start starts GoNB and waits until it answers and is heard, as long as the context lasts.
func Start(ctx context.Context, w *Workspace) (*Child, error) {
	connection := jupyter.NewLocalConnection(filepath.Join(w.sockets, socketName))
	file := filepath.Join(w.directory.Path, w.name)
	if err := connection.Write(file); err != nil {
		return nil, err
	}
	c := &Child{workspace: w, memory: newMemory(), executing: process.NewLock(), pending: map[string]*pending{}, over: make(chan struct{})}
	c.heartbeat = process.NewHeartbeat(w.silence, func() error { return c.client.Ping() })
	cmd := exec.CommandContext(context.WithoutCancel(ctx), w.watched(), w.gonbFile(), w.Tools.GoNB, "-raw_error", "-kernel", file)
	cmd.Env, cmd.Dir = w.environment(), w.WorkingDirectory()
	cmd.SysProcAttr = &syscall.SysProcAttr{} // no death signal: the watch must find what is below GoNB when the kernel has gone
	var err error
	if c.process, err = process.Start(cmd); err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "run ./install.sh again; %fsnet lines work without it", "gonb does not start")
	}
	err = c.connect(ctx, connection)
	go c.awaitEnd()
	if err != nil {
		c.Stop(0)
		return nil, err
	}
	return c, nil
}

// connect waits until GoNB listens and is heard, as long as it lives.
func (c *Child) connect(ctx context.Context, connection jupyter.Connection) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.process.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	if c.client, err = jupyter.DialStarting(ctx, connection); err == nil {
		c.readAll()
		return nil
	}
	select {
	case <-c.process.Done():
		c.giveUp("")
		return c.ended()
	default:
		return errs.New(errs.Unavailable, "restart the kernel; %fsnet lines work without it", "gonb did not answer within %s%s", StartLimit,
			c.process.LastWords(true))
	}
}

// orphanGrace is how long a program that a cell has left running has to end once it was told so.
const orphanGrace = 300 * time.Millisecond

// ID is GoNB's process id.
func (c *Child) ID() int { return c.process.ID() }

// Stop ends GoNB and its cells; after grace they are killed.
func (c *Child) Stop(grace time.Duration) {
	if grace > 0 && c.client != nil {
		c.client.SendControl(c.client.Request("interrupt_request", nil)) //nolint:errcheck // the signal follows
	}
	list, _ := process.List() // without it what has left GoNB's group goes on
	left := process.Below(list, c.ID(), func(process.Info) bool { return false })
	c.process.Stop(grace)
	process.End(left, orphanGrace)
	if c.client != nil {
		c.client.Close()
	}
	c.workspace.tidy()
}

// Done is closed when GoNB has ended and what it had sent was passed on, or when it was given up: another is to be started.
func (c *Child) Done() <-chan struct{} { return c.over }

// How says how it ended, once Done is closed.
func (c *Child) How() string {
	<-c.over
	how := c.why
	if how == "" {
		how = "ended" + c.process.How()
	}
	return "gonb, which runs Go cells, " + how
}

// forceLimit is how long GoNB has to end a cell once somebody has forced: its processes are killed at once, and it reports that. With it
// go the declarations, so a busy machine gets some time.
const forceLimit = 3 * time.Second

// AbandonUnless ends GoNB where a cell is not over a while after somebody has forced: it was stopped, or waits for a program that nobody
// here can end. beyond names those.
func (c *Child) AbandonUnless(over, forced <-chan struct{}, beyond func() string) {
	select {
	case <-forced:
	case <-over:
		return
	}
	select {
	case <-over:
	case <-time.After(forceLimit):
		c.giveUp("did not end the cell and was killed" + beyond())
		c.process.Signal(syscall.SIGKILL)
	}
}

// awaitEnd tells of GoNB's end, once what it had sent until then was passed on.
func (c *Child) awaitEnd() {
	<-c.process.Done()
	all := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(all)
	}()
	c.awaitOutput(context.Background(), all)
	c.giveUp("")
}

// giveUp ends whatever waits for GoNB. What a cell has begun goes on until Stop: it may be worth hours.
func (c *Child) giveUp(why string) {
	c.givingUp.Do(func() {
		c.why = why
		if why != "" {
			slog.Warn("gonb was given up", "process", c.ID(), "why", why)
		}
		close(c.over)
	})
}

// ended describes the end to the cell that ran.
func (c *Child) ended() *errs.Error {
	return errs.New(errs.Unavailable, "the next Go cell starts it again; run the cells with declarations first", "%s", c.How())
}

// unheard is ended for a message that could not be sent: the process has just ended, or does not read.
func (c *Child) unheard() *errs.Error {
	select {
	case <-c.process.Done():
		<-c.over
	case <-c.over:
	case <-time.After(unheardLimit):
		c.giveUp("does not read what it is sent" + c.halted())
	}
	return c.ended()
}

// unheardLimit is how long: a process that has ended is noticed sooner.
const unheardLimit = time.Second

// listen gives GoNB up where it is silent for too long while a cell runs, until stop is called.
func (c *Child) listen() (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	silent := c.heartbeat.Listen(ctx)
	go func() {
		select {
		case silence := <-silent:
			c.giveUp(fmt.Sprintf("has not answered for %s%s", silence, c.halted()))
		case <-ctx.Done():
		}
	}()
	return stop
}

// halted says that the process was stopped, which may be why it does not answer.
func (c *Child) halted() string {
	if process.Stopped(c.ID()) {
		return fmt.Sprintf(" (process %d was stopped)", c.ID())
	}
	return fmt.Sprintf(" (process %d)", c.ID())
}

// read hands messages to the requests that they answer, in order, to the last that GoNB sends, or until it was given up. Others are of a
// cell of long ago, or answer what nobody waits for.
func (c *Child) read(from <-chan jupyter.Message, hand func(p *pending, m jupyter.Message)) {
	take := func(m jupyter.Message) {
		c.mu.Lock()
		p := c.pending[m.ParentID()]
		c.mu.Unlock()
		if p != nil {
			hand(p, m)
		}
	}
	for {
		select {
		case m := <-from:
			take(m)
		case <-c.Done():
			return
		case <-c.client.AllEnded():
			for len(from) > 0 {
				take(<-from)
			}
			return
		}
	}
}

func (c *Child) readAll() {
	c.readers.Go(func() {
		c.read(c.client.Shell(), func(p *pending, m jupyter.Message) {
			select {
			case p.reply <- m:
			default:
			}
			if p.cell == nil {
				c.forget(m.ParentID())
			}
		})
	})
	c.readers.Go(func() {
		c.read(c.client.IOPub(), func(p *pending, m jupyter.Message) {
			switch {
			case p.cell != nil:
				c.publish(p, m)
			case m.Header.Type == "flushed":
				close(p.idle)
			}
		})
	})
	c.readers.Go(func() {
		c.read(c.client.Stdin(), func(p *pending, m jupyter.Message) {
			if p.cell != nil && p.cell.Ask != nil {
				p.cell.Ask(m)
			}
		})
	})
}
