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
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/ipywidgets"
)

// Options are the options of New.
type Options struct {
	ConnectionFile string // the front end's connection file; required
	Version        string // of this program, shown to the user
	// Host is the command that serves sessions, without --socket and --parent.
	// Nil means the host verb of this program.
	Host     []string
	Doctor   []string        // command that examines the machine; nil means the doctor verb of this program
	Home     string          // where FsNet is installed; "" means system.Home()
	Programs []magic.Program // commands that cells may use as verbs
	History  string          // file that keeps cells between kernels; "" keeps none
	NoGo     bool            // run only %fsnet lines, and no Go cells
	// Activity is the interval of busy statuses while a session runs in the
	// background. Zero means 5 s.
	Activity time.Duration
	Silence  time.Duration // time after which a silent host or GoNB counts as hung; 0 means 30 s
	Log      *slog.Logger  // nil means slog.Default()
}

// Kernel is a running kernel.
type Kernel struct {
	options   Options
	loop      *jupyter.Kernel
	directory *process.Directory // for sockets
	listeners chan net.Listener  // for serveCells
	cells     net.Listener       // the last listener

	host      *magic.Link
	gonb      *goCells
	explain   *explainer
	magics    *magic.Interpreter
	comms     *comms
	variables process.Variables // that cells have set with %env
	cellLock  process.Lock      // held by the cell whose Go code runs, in any shell

	mu      sync.Mutex
	running []*execution // cells that run or wait for cellLock
}

var _ jupyter.Language = (*Kernel)(nil)

// New opens a kernel's sockets. The caller must call Run. An error of kind
// Request is about the connection file.
func New(o Options) (*Kernel, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	k := &Kernel{options: o, cellLock: process.NewLock(), listeners: make(chan net.Listener, 1)}

	if err := k.open(); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// open opens the sockets and prepares the children, but doesn't start them. If
// it fails, the caller must call close.
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

	k.host = magic.NewLink(k.options.Host, filepath.Join(k.directory.Path, "host"), k.options.Silence, &k.variables)
	directory, err := os.Getwd()
	if err != nil {
		return errs.Wrap(err, errs.Failed, "start the kernel in a directory that exists", "the working directory is not known")
	}

	k.gonb = newGoCells(k.options.NoGo, gonb.Options{
		Home: k.options.Home, ConnectionFile: k.options.ConnectionFile, Sockets: k.directory.Path, CellSocket: k.cellSocket(),
		Silence: k.options.Silence, Directory: directory, Variables: &k.variables,
	})

	k.explain = newExplainer(k.gonb)
	k.comms = k.newComms()

	k.magics = magic.New(magic.Options{
		Life: k.loop.Life(), Widgets: k.comms.widgets, Ended: func(v ipywidgets.Shown) { k.endView(v, true) },
		Host: k.host.ForMagics, Directory: k.gonb.workingDirectory, Version: k.options.Version, NewID: jupyter.NewID,
		// The doctor runs in another process, because loading a device may end
		// the process.
		Doctor:   func(ctx context.Context) string { return process.Report(ctx, k.options.Doctor, "doctor", &k.variables) },
		Programs: k.options.Programs, Variables: &k.variables, Log: k.options.Log,
	})
	return nil
}

func (k *Kernel) cellSocket() string { return filepath.Join(k.directory.Path, "cells") }

// listen creates the socket for cells' programs, and recreates it if another
// program has removed it.
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
		before.SetUnlinkOnClose(false) // it continues to serve its connections, and must not remove the new socket
	}

	listener, err := host.Listen(k.cellSocket())
	if err == nil {
		k.cells = listener
		k.listeners <- listener
	}
	return err
}

// info returns what the kernel tells front ends about itself and its language.
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

// Run serves until a shutdown_request arrives, the context ends or the Jupyter
// server dies. Then it ends the children and removes the kernel's directories.
// It always returns nil.
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

// Interrupt pauses the step or run that a cell waits for, or ends the Go cell.
// It does nothing if no cell is running. A second call, at least half a second
// later, doesn't wait for the cell to clean up.
func (k *Kernel) Interrupt() { k.loop.Interrupt() }

// stopLimit is how long a child may take to end before it is killed. Jupyter
// waits five seconds for the kernel.
const stopLimit = 2 * time.Second

// Shutdown implements jupyter.Language. It ends three things concurrently: the
// views, the host, and gopls followed by GoNB. It returns when all have ended.
func (k *Kernel) Shutdown() {
	var children sync.WaitGroup
	children.Go(k.endViews)
	children.Go(func() { k.explain.keeper.Stop(0); k.gonb.stop(stopLimit) }) // gopls first, because it uses GoNB's directory
	children.Go(func() { k.host.Stop(stopLimit) })
	children.Wait()
}

// close closes the sockets and removes their directory.
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

// socketPrefix is the prefix of the names of kernels' directories.
const socketPrefix = "fsnet-kernel-"

// activityInterval is the interval of busy statuses while a session runs in the
// background. Servers that cull idle kernels check every few minutes.
const (
	activityInterval = 5 * time.Second
	answerLimit      = time.Second // an idle host answers within a millisecond
	silentLooks      = 60          // intervals after which a silent host no longer counts as busy
)

// keepAlive publishes busy statuses while a session runs in the background,
// until the kernel ends. Without them, a server that culls idle kernels would
// end the training.
func (k *Kernel) keepAlive() {
	interval := cmp.Or(k.options.Activity, activityInterval)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	var silent time.Time // when the host stopped answering
	for {
		select {
		case <-ticks.C:
		case <-k.loop.Life().Done():
			return
		}
		if k.loop.Busy() { // the cell's status is activity enough
			continue
		}

		trains, answers := k.trains(min(answerLimit, interval))
		switch {
		case answers:
			silent = time.Time{}
		case silent.IsZero():
			silent = time.Now()
		case time.Since(silent) > silentLooks*interval: // the host hangs or was stopped
			continue
		}

		if (trains || !answers) && !k.loop.Busy() {
			k.loop.Pulse()
		}
	}
}

// trains asks a running host whether a session is running. answers is false if
// the host doesn't answer within the limit, for example because it compiles. If
// no host is running, trains returns false, true.
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
