package repl

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
)

// Options are the options of Run. Fields that aren't required have useful zero
// values.
type Options struct {
	Version  string    // of this program, shown to the user
	Commands []string  // lines to run instead of asking for them; nil asks
	Script   io.Reader // lines to run instead of asking for them, such as a file; nil asks
	In       *os.File  // terminal or script to read; required unless there are Commands or a Script
	Out      *os.File  // required: output of the verbs
	Err      *os.File  // required: messages, and progress if Out isn't a terminal
	// History is the file that remembers lines. "" means repl_history in the
	// user's state directory.
	History string
	// Host is the command that serves sessions, without --socket and --parent.
	// Nil means the host verb of this program.
	Host     []string
	Programs []magic.Program // commands of fsnet that lines may use
	Doctor   []string        // command that examines the machine; nil means the doctor verb of this program
}

const socketPrefix = "fsnet-repl-"

// repl is one terminal or script, with its host.
type repl struct {
	options   Options
	directory string // the working directory
	sockets   *process.Directory
	link      *magic.Link
	magics    *magic.Interpreter
	screen    *screen
	hinted    bool           // the user has been told how to save a picture
	signals   chan os.Signal // SIGINT, which means Ctrl-C while a line runs
}

// Run reads and runs lines until they end. Then it closes the sessions, whose
// last checkpoints stay. For a script, it returns the first error, with its
// line. The kind Interrupted means that a SIGINT has paused what was running.
// At a terminal, it shows errors, and returns only one that keeps it from
// starting.
func Run(ctx context.Context, o Options) error {
	r, err := start(o)
	if err != nil {
		return err
	}
	defer r.end()

	if heeded := system.Heeded(os.Interrupt); len(heeded) > 0 {
		signal.Notify(r.signals, heeded...) // until the end, because a Ctrl-C between a line and the prompt must not end the process
	}
	defer signal.Stop(r.signals)

	ctx, stop := system.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	switch {
	case len(o.Commands) > 0:
		return r.script(ctx, strings.NewReader(strings.Join(o.Commands, "\n")))
	case o.Script != nil:
		return r.script(ctx, o.Script)
	case isTerminal(o.In) && isTerminal(o.Out):
		return r.interact(ctx)
	}
	return r.script(ctx, o.In)
}

// start returns a repl with a directory for sockets, but without a host. The
// first verb that needs a host starts it.
func start(o Options) (*repl, error) {
	directory, err := os.Getwd()
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "start it in a directory that exists", "the working directory is not known")
	}

	sockets, err := process.NewSocketDirectory(socketPrefix)
	if err != nil {
		return nil, err
	}

	r := &repl{options: o, directory: directory, sockets: sockets, screen: newScreen(o.Out, o.Err), signals: make(chan os.Signal, 1)}
	r.link = magic.NewLink(o.Host, filepath.Join(sockets.Path, "host"), 0, nil)
	var displays atomic.Int64
	r.magics = magic.New(magic.Options{
		Host: r.link.ForMagics, Directory: func() string { return directory }, Version: o.Version,
		Doctor:   func(ctx context.Context) string { return process.Report(ctx, o.Doctor, "doctor", nil) }, // in another process, because its device may fail
		Programs: o.Programs,
		NewID:    func() string { return strconv.FormatInt(displays.Add(1), 10) },
	})
	return r, nil
}

// interruptible returns a context that is canceled by a SIGINT. A second SIGINT
// stops work that doesn't end by itself. The caller must call stop.
func (r *repl) interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	over, forced := make(chan struct{}), make(chan struct{})
	var waiting sync.WaitGroup

	waiting.Go(func() {
		for _, act := range []func(){cancel, func() { close(forced) }} {
			select {
			case <-r.signals:
				act()
			case <-over:
				return
			}
		}
	})
	return process.WithForceInterrupt(ctx, forced), func() {
		close(over)
		waiting.Wait()
		cancel()
	}
}

// hostStopLimit bounds how long the host may take to write its last
// checkpoints.
const hostStopLimit = 3 * time.Second

func (r *repl) end() {
	r.link.Stop(hostStopLimit)
	r.sockets.Remove() //nolint:errcheck // the next start removes it
}

// execute runs one line, or several that were joined by backslashes. With " >
// FILE" it writes the last picture to the file. It does nothing for an empty
// line.
func (r *repl) execute(ctx context.Context, text string) error {
	l, err := parseLine(text)
	if err != nil || l.empty() {
		return err
	}
	defer r.screen.settle()

	if l.question != "" {
		return r.explain(ctx, l.question)
	}

	var out magic.Output = r.screen
	var picture *capture
	var target output.File
	if l.file != "" {
		picture = &capture{screen: r.screen}
		out = picture
		target = r.target(l.commands[len(l.commands)-1].Verb, l.file)
		if err := cmp.Or(chart.CheckForm(l.file), target.Check(r.inputs(ctx))); err != nil { // before the verb works for a long time
			return err
		}
	}

	for _, command := range l.commands {
		if err := r.magics.Run(ctx, command, out); err != nil {
			return err
		}
		if command.Verb == "help" && len(command.Words) == 0 && picture == nil {
			r.screen.say(aboutTerminal)
		}
	}

	if picture != nil {
		return r.write(ctx, picture, l.file, target)
	}

	r.hintAtSaving()
	return nil
}

// explain explains the last word of a line, as a question mark does in a
// notebook.
func (r *repl) explain(ctx context.Context, text string) error {
	words := strings.Fields(text)
	word, _, _ := strings.Cut(words[len(words)-1], "=")
	return r.magics.Run(ctx, magic.Command{Verb: words[0], Words: []string{word + "?"}}, r.screen)
}

const aboutTerminal = `
in a terminal:
  WORD?          what a verb or a key means
  VERB … > FILE  saves the picture: .png, .svg, .html, .json (Vega-Lite) or .txt
  … \            continues on the next line
  Ctrl-C         pauses a run, which keeps its state
  quit, Ctrl-D   leave; every session keeps its last checkpoint`
