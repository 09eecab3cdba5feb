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

// StartLimit bounds how long GoNB may take to answer for the first time. On a
// quiet machine it takes a third of a second.
const StartLimit = 30 * time.Second

// Child is a running GoNB. Its methods are safe for concurrent use, but cells
// run one at a time.
type Child struct {
	workspace *Workspace
	process   *process.Process
	client    *jupyter.Client
	heartbeat *process.Heartbeat

	cellLock process.Lock // held by the cell that runs

	memoryMu    sync.Mutex
	memory      memory
	isPrepared  bool   // the prelude has run
	runningCode string // Go code of the running cell; "" if none is running

	over       chan struct{} // closed once the process has ended or was given up
	giveUpOnce sync.Once
	why        string // why GoNB was given up; "" if the process ended by itself

	readers  sync.WaitGroup
	messages atomic.Int64 // number of messages that GoNB has published

	mu sync.Mutex
	// Pending holds requests by message id, and the last cells, whose output
	// may arrive late.
	pending map[string]*pending
	current *pending // the last cell
	late    []string // message ids of the last cells, oldest first
}

// Start starts GoNB and waits until it answers and publishes. The context
// limits only the start.
func Start(ctx context.Context, w *Workspace) (*Child, error) {
	connection := jupyter.NewLocalConnection(filepath.Join(w.sockets, socketName))
	file := filepath.Join(w.directory.Path, w.name)
	if err := connection.Write(file); err != nil {
		return nil, err
	}

	c := &Child{workspace: w, memory: newMemory(), cellLock: process.NewLock(), pending: map[string]*pending{}, over: make(chan struct{})}
	c.heartbeat = process.NewHeartbeat(w.silence, func() error { return c.client.Ping() })

	cmd := exec.CommandContext(context.WithoutCancel(ctx), w.watchScript(), w.gonbFile(), w.Tools.GoNB, "-raw_error", "-kernel", file)
	cmd.Env, cmd.Dir = w.environment(), w.WorkingDirectory()
	// There is no death signal. When the kernel has died, the watch must still
	// find GoNB's descendants.
	cmd.SysProcAttr = &syscall.SysProcAttr{}

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

// connect waits until GoNB listens and publishes. If GoNB or the context ends
// first, it returns an error.
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
		return c.endError()
	default:
		return errs.New(errs.Unavailable, "restart the kernel; %fsnet lines work without it", "gonb did not answer within %s%s", StartLimit,
			c.process.LastWords(true))
	}
}

// ID returns GoNB's process id.
func (c *Child) ID() int { return c.process.ID() }

// Stop ends GoNB and its cells, kills them after grace, and returns when they
// have ended. Programs with FSNET_KEEP outside GoNB's process group continue to
// run.
func (c *Child) Stop(grace time.Duration) {
	if grace > 0 && c.client != nil {
		c.client.SendControl(c.client.Request("interrupt_request", nil)) //nolint:errcheck // the signal follows
	}

	list, _ := process.List() // without the list, processes outside GoNB's group continue to run
	left := process.Below(list, c.ID(), nil)
	c.process.Stop(grace)
	process.End(left)

	if c.client != nil {
		c.client.Close()
	}
	c.workspace.tidy()
}

// Done returns a channel that is closed when GoNB has ended and its messages
// were passed on, or when it was given up.
func (c *Child) Done() <-chan struct{} { return c.over }

// How waits until Done is closed and describes how GoNB ended, as in "gonb,
// which runs Go cells, ended (signal: killed)".
func (c *Child) How() string {
	<-c.over
	how := c.why
	if how == "" {
		how = "ended" + c.process.How()
	}
	return "gonb, which runs Go cells, " + how
}

// forceLimit is how long GoNB may take to report the end of a cell after a
// second interrupt, which kills the cell's processes. After that, GoNB is
// killed and the declarations are lost, so the limit leaves time for a busy
// machine.
const forceLimit = 3 * time.Second

// AbandonUnless waits until the cell is over. After a second interrupt closes
// forced, it waits for forceLimit at most, then gives GoNB up and kills it.
// GoNB was stopped then, or waits for a program of another user. beyond names
// such programs.
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

// awaitEnd waits for GoNB's end, passes on its last messages, and then gives it
// up.
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

// giveUp ends all waits for GoNB. The processes of a cell continue until Stop,
// because they may hold hours of work.
func (c *Child) giveUp(why string) {
	c.giveUpOnce.Do(func() {
		c.why = why
		if why != "" {
			slog.Warn("gonb was given up", "process", c.ID(), "why", why)
		}
		close(c.over)
	})
}

// endError returns the error of a cell if GoNB ended while it ran.
func (c *Child) endError() *errs.Error {
	return errs.New(errs.Unavailable, "the next Go cell starts it again; run the cells with declarations first", "%s", c.How())
}

// sendError returns the error of a cell that couldn't be sent. Either the
// process has just ended, or it doesn't read. If it doesn't read for sendLimit,
// sendError gives it up.
func (c *Child) sendError() *errs.Error {
	select {
	case <-c.process.Done():
		<-c.over
	case <-c.over:
	case <-time.After(sendLimit):
		c.giveUp("does not read what it is sent" + c.describe())
	}
	return c.endError()
}

// sendLimit is how long GoNB may not read before it is given up. The end of a
// process is noticed sooner.
const sendLimit = time.Second

// watchHeartbeat gives GoNB up if it answers no ping for too long. The caller
// must call stop to end the watch.
func (c *Child) watchHeartbeat() (stop func()) {
	ctx, stop := context.WithCancel(context.Background())
	silent := c.heartbeat.Listen(ctx)

	go func() {
		select {
		case silence := <-silent:
			c.giveUp(fmt.Sprintf("has not answered for %s%s", silence, c.describe()))
		case <-ctx.Done():
		}
	}()
	return stop
}

// describe returns the process id for a message, and says whether the process
// was stopped.
func (c *Child) describe() string {
	if process.Stopped(c.ID()) {
		return fmt.Sprintf(" (process %d was stopped)", c.ID())
	}
	return fmt.Sprintf(" (process %d)", c.ID())
}

// read passes messages to the requests that they answer, in order, until GoNB
// has ended or was given up. It drops messages if their request is no longer
// pending.
func (c *Child) read(from <-chan jupyter.Message, pass func(p *pending, m jupyter.Message)) {
	take := func(m jupyter.Message) {
		c.mu.Lock()
		p := c.pending[m.ParentID()]
		c.mu.Unlock()
		if p != nil {
			pass(p, m)
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

// readAll passes on, in the background, what GoNB sends: replies, output and
// questions.
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
