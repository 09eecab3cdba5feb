package gonb

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
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
		return nil, fault.Wrap(err, fault.Unavailable, "run ./install.sh again; %fsnet lines work without it", "gonb does not start")
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
		return fault.New(fault.Unavailable, "restart the kernel; %fsnet lines work without it", "gonb did not answer within %s%s", StartLimit,
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
