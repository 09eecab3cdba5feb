package kernel

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/internal/trainer"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/ipywidgets"
)

// Options for New. Zero values: see each.
type Options struct {
	ConnectionFile string          // required: where the front end says how to be reached
	Version        string          // of this program, for people
	Host           []string        // command that serves sessions, before --socket and --parent; nil is this program's host verb
	Doctor         []string        // command that looks at the machine; nil is this program's doctor verb
	Home           string          // where FsNet is installed; "" is the user's
	Programs       []magic.Program // verbs of the command line that cells may use
	History        string          // the file that keeps cells between kernels; "" keeps none
	NoGo           bool            // no Go cells, only %fsnet lines
	Activity       time.Duration   // between two signs of life while a session runs in the background; 0 is 5 s
	Silence        time.Duration   // that the training process or GoNB may keep before a verb or a cell gives up; 0 is 30 s
	Log            *slog.Logger    // nil is the default one
}

// Kernel is one running kernel.
type Kernel struct {
	options   Options
	server    *jupyter.Server
	session   string             // of the messages it sends
	directory *process.Directory // for sockets
	cells     net.Listener

	host      *trainer.Link
	gonb      *goCells
	explain   *explainer
	magics    *magic.Interpreter
	comms     *comms
	shells    *jupyter.Shells
	cellLock  process.Lock // held by the cell whose Go code runs, whatever shell it is in
	questions questions
	history   jupyter.History
	forgetful sync.Once // it was said that cells are not kept
	consoles  consoles

	mu      sync.Mutex
	running []*execution // the cells that run now, one a shell at most, and those that wait for their turn
	number  int          // of the last cell, counted or not
	count   int          // the execution count

	workers sync.WaitGroup // of the shells

	life context.Context // ends with the kernel
	end  context.CancelFunc
	stop sync.Once
	quit chan struct{} // closed by a shutdown_request
}

// New opens a kernel's sockets. The caller calls Run. Errors of kind Request are about the connection file.
func New(o Options) (*Kernel, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	connection, err := jupyter.ReadConnection(o.ConnectionFile)
	if err != nil {
		return nil, err
	}
	k := &Kernel{options: o, session: jupyter.NewID(), shells: jupyter.NewShells(), cellLock: process.NewLock(), quit: make(chan struct{})}
	if o.History != "" {
		k.history.Keep(o.History)
	}
	k.life, k.end = context.WithCancel(context.Background())
	if err := k.open(connection); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *Kernel) open(connection jupyter.Connection) error {
	var err error
	if k.directory, err = process.NewSocketDirectory(socketPrefix); err != nil {
		return err
	}
	cellSocket := filepath.Join(k.directory.Path, "cells")
	if k.cells, err = host.Listen(cellSocket); err != nil {
		return err
	}
	if k.server, err = jupyter.Listen(connection, jupyter.Options{Session: k.session, Log: k.options.Log}); err != nil {
		return err
	}
	k.host = trainer.New(k.options.Host, filepath.Join(k.directory.Path, "host"), k.options.Silence)
	directory, err := os.Getwd()
	if err != nil {
		return errs.Wrap(err, errs.Failed, "start the kernel in a directory that exists", "the working directory is not known")
	}
	k.gonb = newGoCells(k.options.NoGo, gonb.Options{
		Home: k.options.Home, ConnectionFile: k.options.ConnectionFile, Sockets: k.directory.Path, CellSocket: cellSocket,
		Silence: k.options.Silence, Directory: directory,
	})
	k.explain = newExplainer(k.gonb)
	k.comms = k.newComms()
	k.magics = magic.New(magic.Options{
		Life: k.life, Widgets: k.comms.widgets, Ended: func(v ipywidgets.Shown) { k.endView(v, true) },
		Host: k.host.ForMagics, Directory: k.gonb.workingDirectory, Version: k.options.Version, NewID: jupyter.NewID,
		// The doctor loads a device, which may fail in ways that must not take the kernel along.
		Doctor:   func(ctx context.Context) string { return process.Report(ctx, k.options.Doctor, "doctor") },
		Programs: k.options.Programs, Log: k.options.Log,
	})
	return nil
}

// Run serves until a shutdown_request arrives or the context ends, then ends both children and removes what the kernel made.
func (k *Kernel) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	process.AdoptOrphans()
	loops.Go(k.readShell)
	loops.Go(k.readControl)
	loops.Go(k.readStdin)
	k.workers.Go(func() { k.work(k.shells.Main) })
	loops.Go(func() { k.serveCells() })
	loops.Go(k.keepAlive)
	go k.warm()
	k.server.IOPub.Publish(jupyter.NewMessage(k.session, "status", jupyter.Status{State: "starting"}))

	select {
	case <-ctx.Done():
	case <-k.quit:
	case <-parentGone(ctx):
	}
	k.end()
	k.shells.Close()
	k.Interrupt()
	var children sync.WaitGroup
	children.Go(k.endViews)
	children.Go(func() { k.explain.keeper.Stop(0); k.gonb.stop(stopLimit) }) // whose directory gopls uses
	children.Go(func() { k.host.Stop(stopLimit) })
	children.Wait()
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		k.workers.Wait()
	}()
	select { // the last cells' replies
	case <-worked:
	case <-time.After(stopLimit):
	}
	k.close()
	loops.Wait()
	return nil
}

// stopLimit is how long a child may take to end before it is killed. Jupyter waits five seconds for the kernel.
const stopLimit = 2 * time.Second

// close ends the sockets and removes their directory.
func (k *Kernel) close() {
	k.end()
	if k.cells != nil {
		k.cells.Close() //nolint:errcheck // it is ending
	}
	if k.server != nil {
		k.server.Close()
	}
	if k.directory != nil {
		k.directory.Remove() //nolint:errcheck // the next kernel sweeps it
	}
}

// shutdown ends Run.
func (k *Kernel) shutdown() { k.stop.Do(func() { close(k.quit) }) }

// publish sends a message to everybody, as an answer to a request.
func (k *Kernel) publish(parent jupyter.Message, messageType string, content any) {
	k.server.IOPub.Publish(parent.Answer(k.session, messageType, content))
}

// socketPrefix begins the names of kernels' directories.
const socketPrefix = "fsnet-kernel-"

// orphanGrace is how long a program that a cell has left running has to end once it was told so.
const orphanGrace = 300 * time.Millisecond

// parentGone is closed when the Jupyter server that started this kernel has died without a word. Other parents are not watched: a
// kernel started by hand may outlive its shell.
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

// activityInterval is how often a kernel with a run in the background says that it is busy. Servers that end idle kernels look every few
// minutes.
const (
	activityInterval = 5 * time.Second
	answerLimit      = time.Second // a host that is not busy takes a millisecond
	silentLooks      = 60          // intervals until one that does not answer is no longer taken for busy
)

// keepAlive shows activity while a session runs in the background, though no cell does: a server that ends idle kernels would end the
// training with it.
func (k *Kernel) keepAlive() {
	interval := cmp.Or(k.options.Activity, activityInterval)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	var silent time.Time // since when the host has not answered
	for {
		select {
		case <-ticks.C:
		case <-k.life.Done():
			return
		}
		if k.busy() { // which is activity
			continue
		}
		trains, answers := k.trains(min(answerLimit, interval))
		switch {
		case answers:
			silent = time.Time{}
		case silent.IsZero():
			silent = time.Now()
		case time.Since(silent) > silentLooks*interval: // it hangs, or was stopped
			continue
		}
		if (trains || !answers) && !k.busy() {
			k.pulse()
		}
	}
}

// trains asks a host that runs whether a session does. One that has no time to answer works: while it compiles, for example.
func (k *Kernel) trains(limit time.Duration) (trains, answers bool) {
	client := k.host.Current()
	if client == nil {
		return false, true
	}
	ctx, cancel := context.WithTimeout(k.life, limit)
	defer cancel()
	list, err := session.VerbSessions.Call(ctx, client, session.None{})
	if err != nil {
		return false, !errors.Is(ctx.Err(), context.DeadlineExceeded)
	}
	return slices.ContainsFunc(list, func(s session.Status) bool { return s.State == session.Running }), true
}

// pulse is busy and idle for a cell that nobody sent: of a status, jupyter_server counts only what answers something like a cell.
func (k *Kernel) pulse() {
	parent := jupyter.NewMessage(k.session, "execute_request", nil)
	k.publish(parent, "status", jupyter.Status{State: "busy"})
	k.publish(parent, "status", jupyter.Status{State: "idle"})
	k.sayBusy() // for one that began in between
}
