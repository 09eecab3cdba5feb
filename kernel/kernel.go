package kernel

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
	loop      *jupyter.Kernel
	directory *process.Directory // for sockets
	listeners chan net.Listener  // on which cells are to be served
	cells     net.Listener       // the last of them

	host     *trainer.Link
	gonb     *goCells
	explain  *explainer
	magics   *magic.Interpreter
	comms    *comms
	cellLock process.Lock // held by the cell whose Go code runs, whatever shell it is in

	mu      sync.Mutex
	running []*execution // the cells that run now, and those that wait for their turn
}

var _ jupyter.Language = (*Kernel)(nil)

// New opens a kernel's sockets. The caller calls Run. Errors of kind Request are about the connection file.
func New(o Options) (*Kernel, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	k := &Kernel{options: o, cellLock: process.NewLock(), listeners: make(chan net.Listener, 1)}
	if err := k.open(); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *Kernel) open() (err error) {
	if k.loop, err = jupyter.New(k.options.ConnectionFile, jupyter.KernelOptions{
		Info: k.info(), Paced: underServer(), History: k.options.History, Log: k.options.Log,
	}); err != nil {
		return err
	}
	if k.directory, err = process.NewSocketDirectory(socketPrefix); err != nil {
		return err
	}
	if err := k.listen(); err != nil {
		return err
	}
	k.host = trainer.New(k.options.Host, filepath.Join(k.directory.Path, "host"), k.options.Silence)
	directory, err := os.Getwd()
	if err != nil {
		return errs.Wrap(err, errs.Failed, "start the kernel in a directory that exists", "the working directory is not known")
	}
	k.gonb = newGoCells(k.options.NoGo, gonb.Options{
		Home: k.options.Home, ConnectionFile: k.options.ConnectionFile, Sockets: k.directory.Path, CellSocket: k.cellSocket(),
		Silence: k.options.Silence, Directory: directory,
	})
	k.explain = newExplainer(k.gonb)
	k.comms = k.newComms()
	k.magics = magic.New(magic.Options{
		Life: k.loop.Life(), Widgets: k.comms.widgets, Ended: func(v ipywidgets.Shown) { k.endView(v, true) },
		Host: k.host.ForMagics, Directory: k.gonb.workingDirectory, Version: k.options.Version, NewID: jupyter.NewID,
		// The doctor loads a device, which may fail in ways that must not take the kernel along.
		Doctor:   func(ctx context.Context) string { return process.Report(ctx, k.options.Doctor, "doctor") },
		Programs: k.options.Programs, Log: k.options.Log,
	})
	return nil
}

func (k *Kernel) cellSocket() string { return filepath.Join(k.directory.Path, "cells") }

// listen makes the socket for cells' programs where it is not there: at the start, and where something else has removed it.
func (k *Kernel) listen() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.directory.Restore(); err != nil {
		return errs.Wrap(err, errs.Failed, "restart the kernel", "the directory %s for sockets cannot be made again", k.directory.Path)
	}
	if _, err := os.Lstat(k.cellSocket()); err == nil && k.cells != nil {
		return nil
	}
	if before, ok := k.cells.(*net.UnixListener); ok {
		before.SetUnlinkOnClose(false) // programs that are connected stay so
	}
	listener, err := host.Listen(k.cellSocket())
	if err == nil {
		k.cells = listener
		k.listeners <- listener
	}
	return err
}

func (k *Kernel) info() jupyter.KernelInfo {
	return jupyter.KernelInfo{
		Implementation: "fsnet", ImplementationVersion: k.options.Version,
		LanguageInfo: jupyter.LanguageInfo{
			Name: "go", Version: strings.TrimPrefix(runtime.Version(), "go"), MIMEType: "text/x-go", FileExtension: ".go",
			PygmentsLexer: "go", CodeMirrorMode: "go",
		},
		Banner: "FsNet " + k.options.Version +
			": %fsnet open leukemia data=ALLAML opens a training, %fsnet help lists the verbs; everything else is Go",
		HelpLinks: []jupyter.HelpLink{
			{Text: "Go", URL: "https://go.dev/ref/spec"},
			{Text: "GoNB", URL: "https://github.com/janpfeifer/gonb"},
			{Text: "GoMLX", URL: "https://gomlx.github.io/"},
		},
	}
}

// Run serves until a shutdown_request arrives or the context ends, then ends the children and removes what the kernel made.
func (k *Kernel) Run(ctx context.Context) error {
	process.AdoptOrphans()
	var loops sync.WaitGroup
	loops.Go(k.serveCells)
	loops.Go(k.keepAlive)
	go k.warm()
	k.loop.Run(ctx, k)
	k.close()
	loops.Wait()
	return nil
}

// Interrupt pauses the step or run that a cell waits for, or ends the Go cell. Without a running cell it does nothing. A second one does
// not wait for the cell to clean up.
func (k *Kernel) Interrupt() { k.loop.Interrupt() }

// stopLimit is how long a child may take to end before it is killed. Jupyter waits five seconds for the kernel.
const stopLimit = 2 * time.Second

// Shutdown implements jupyter.Language: it ends the views and the children.
func (k *Kernel) Shutdown() {
	var children sync.WaitGroup
	children.Go(k.endViews)
	children.Go(func() { k.explain.keeper.Stop(0); k.gonb.stop(stopLimit) }) // whose directory gopls uses
	children.Go(func() { k.host.Stop(stopLimit) })
	children.Wait()
}

// close ends the sockets and removes their directory.
func (k *Kernel) close() {
	if k.loop != nil {
		k.loop.Close()
	}
	if k.cells != nil {
		k.cells.Close() //nolint:errcheck // it is ending
	}
	if k.directory != nil {
		k.directory.Remove() //nolint:errcheck // the next kernel sweeps it
	}
}

// socketPrefix begins the names of kernels' directories.
const socketPrefix = "fsnet-kernel-"

// orphanGrace is how long a program that a cell has left running has to end once it was told so.
const orphanGrace = 300 * time.Millisecond

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
		case <-k.loop.Life().Done():
			return
		}
		if k.loop.Busy() { // which is activity
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
		if (trains || !answers) && !k.loop.Busy() {
			k.loop.Pulse()
		}
	}
}

// trains asks a host that runs whether a session does. One that has no time to answer works: while it compiles, for example.
func (k *Kernel) trains(limit time.Duration) (trains, answers bool) {
	client := k.host.Current()
	if client == nil {
		return false, true
	}
	ctx, cancel := context.WithTimeout(k.loop.Life(), limit)
	defer cancel()
	list, err := session.VerbSessions.Call(ctx, client, session.None{})
	if err != nil {
		return false, !errors.Is(ctx.Err(), context.DeadlineExceeded)
	}
	return slices.ContainsFunc(list, func(s session.Status) bool { return s.State == session.Running }), true
}
