package kernel

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

// goCells runs Go cells in a GoNB. If GoNB has died, the next cell starts
// another.
type goCells struct {
	disabled bool
	options  gonb.Options
	keeper   *process.Keeper[*gonb.Child]

	mu        sync.Mutex
	workspace *gonb.Workspace
	kept      *gonb.Initialisers
	reported  *gonb.Child // GoNB whose end a cell has reported
	note      string      // lines for the next cell to print first, such as how the last GoNB ended
}

func newGoCells(disabled bool, o gonb.Options) *goCells {
	g := &goCells{disabled: disabled, options: o, kept: gonb.NewInitialisers()}
	g.keeper = process.NewKeeper(process.KeeperOptions[*gonb.Child]{Name: "gonb", Start: g.start, Limit: gonb.StartLimit})
	return g
}

// get returns the running GoNB. If necessary, it starts and prepares GoNB, and
// waits for both. If the packages for cells are missing, GoNB runs all the
// same, and the next cell prints why.
func (g *goCells) get(ctx context.Context) (*gonb.Child, error) {
	if g.disabled {
		return nil, errs.New(errs.Unavailable, "write %fsnet lines", "this kernel runs no Go cells")
	}

	if w, err := g.openWorkspace(); err == nil { // the start of the child reports an error
		if err := w.Restore(); err != nil {
			return nil, err
		}
	}

	child, err := g.keeper.Get(ctx)
	if err != nil {
		return nil, err
	}

	wrong, err := child.Prepare(ctx)
	if wrong != "" {
		g.addNote("Go cells cannot use the packages fsnetlab/…: " + wrong)
	}
	return child, err
}

// start starts GoNB. If the previous GoNB has ended and no cell has reported
// how, the next cell prints it.
func (g *goCells) start(ctx context.Context, before *gonb.Child) (*gonb.Child, error) {
	if before != nil {
		before.Stop(0) // what remains of it
		process.EndOrphans()
		g.mu.Lock()
		silent := before != g.reported
		g.mu.Unlock()
		if silent {
			g.addNote(before.How() + ", and was started again: the declarations of earlier cells are forgotten; run those cells first")
		}
	}

	w, err := g.openWorkspace()
	if err != nil {
		return nil, err
	}
	return gonb.Start(ctx, w)
}

// openWorkspace returns the workspace of the Go cells. The first call creates it.
// Problems with the tools and settings become a note.
func (g *goCells) openWorkspace() (*gonb.Workspace, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workspace != nil {
		return g.workspace, nil
	}

	w, err := gonb.NewWorkspace(g.options)
	if err != nil {
		return nil, err
	}

	g.workspace = w

	if err := gonb.CheckVersion(w.Tools.GoNB); err != nil {
		g.note += err.Error() + "\n"
	}

	if ignored := w.IgnoredSettings(); len(ignored) > 0 {
		g.note += "Go cells are built for this machine, without " + strings.Join(ignored, ", ") + " of yours (%goflags sets flags for cells)\n"
	}

	if w.KeepsOwnCache() {
		g.note += "Go's build cache cannot be written to, so this kernel keeps one of its own, and its first cells take longer: " +
			"set GOCACHE to a directory that can\n"
	}

	return w, nil
}

// workingDirectory returns the directory where cells and %fsnet lines run. %cd
// changes it.
func (g *goCells) workingDirectory() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workspace == nil {
		return g.options.Directory
	}
	return g.workspace.WorkingDirectory()
}

func (g *goCells) addNote(note string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note += note + "\n"
}

// takeNote returns the notes for the next cell and forgets them.
func (g *goCells) takeNote() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	note := g.note
	g.note = ""
	return note
}

// stop ends GoNB for good and removes its directory.
func (g *goCells) stop(grace time.Duration) {
	g.keeper.Stop(grace)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workspace != nil {
		g.workspace.Close() //nolint:errcheck // the next kernel sweeps it
	}
}

// runGo runs a cell's Go code or, if timed isn't nil, times it. If the cell
// failed, the error is a jupyter.ErrorReply. Any other error is about GoNB.
func (k *Kernel) runGo(e *execution, code string, timed *cell.Timing) error {
	unix := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

	child, err := k.gonb.get(e.context)
	k.gonb.noteLines(unix(code))
	if note := k.gonb.takeNote(); note != "" {
		e.print("stderr", note)
	}
	if err == nil {
		err = k.checkCapture(e.context, unix(code))
	}

	if err != nil {
		return err
	}

	reply, err := k.runIn(child, e, gonb.Cell{
		Request: e.cell.Message, Code: unix(code), Whole: unix(e.cell.Request.Code), Count: e.cell.Count,
		AllowStdin: e.cell.Request.AllowStdin, ShowLast: k.variables.Get(showLastVariable) != "off", Timing: timed,
		Publish: func(m jupyter.Message) {
			e.makeRoom()
			e.cell.Relay(m)
		},
		Ask: func(m jupyter.Message) { k.ask(e, m) },
	})

	if err != nil && k.gonb.keeper.Current() != child {
		k.gonb.mu.Lock()
		k.gonb.reported = child
		k.gonb.mu.Unlock()
	}

	if err == nil && reply.Name != "" {
		err = reply
	}
	if err == nil {
		k.setEnvironment(e, code)
	}
	return err
}

// checkCapture rejects a %capture line that would overwrite a file that an open
// session reads. Every verb that writes a file does so, too.
func (k *Kernel) checkCapture(ctx context.Context, code string) error {
	for _, words := range cell.CommandLines(code) {
		host := k.host.Current()
		if words[0] != "%capture" || host == nil {
			continue
		}
		target := dataset.Locate(words[len(words)-1], k.gonb.workingDirectory())
		open, err := session.VerbSessions.Call(ctx, host, session.None{})
		if err != nil {
			return err
		}
		for _, s := range open {
			if slices.ContainsFunc(dataset.Inputs(s.Config.Config(), s.Directory), func(input string) bool { return output.Same(target, input) }) {
				return errs.New(errs.Request, "name another file", "%%capture %s is an input file of session %q", words[len(words)-1], s.Session)
			}
		}
	}
	return nil
}

// noteLines notes what the user may not mean: a variable whose initialiser runs
// again in every later cell, or a shell line that changes nothing.
func (g *goCells) noteLines(code string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note += g.kept.Note(code)

	for _, words := range cell.CommandLines(code) {
		if !isShell(words) {
			continue
		}
		g.note += shellNote(words[1])
	}
}

// shellNote returns a note for a shell line that has no effect, because it
// changes only its own shell. It returns "" for any other line.
func shellNote(line string) string {
	const why = " changes nothing: each ! line has a shell of its own"
	name, rest, _ := strings.Cut(line, " ")
	variable, value, isAssignment := strings.Cut(name, "=")
	switch {
	case strings.ContainsAny(line, ";&|`$()<>\n"):
		return ""
	case name == "cd", name == "pushd":
		return "!" + name + why + "; write " + strings.TrimSpace("%cd "+rest) + "\n"
	case name == "export":
		return "!" + name + why + "; write %env " + strings.Replace(rest, "=", " ", 1) + "\n"
	case isAssignment && rest == "":
		return "!" + variable + "=" + why + "; write %env " + variable + " " + value + "\n"
	case name == "unset", name == "alias", name == "popd":
		return "!" + name + why + "\n"
	}
	return ""
}

// setEnvironment passes the variables that a cell has set with %env to
// processes that the kernel starts later. If a training process that would have
// read one of them is running, setEnvironment ends it, so that the next verb
// starts another. If it has sessions, setEnvironment only says so.
func (k *Kernel) setEnvironment(e *execution, code string) {
	for _, words := range cell.CommandLines(code) {
		if words[0] != "%env" || len(words) != 3 {
			continue
		}
		name := words[1]
		k.variables.Set(name, words[2])

		read := slices.ContainsFunc([]string{"FSNET_", "XLA_", "PJRT_", "CUDA_", "TF_", "GOMLX_", "OMP_", "LD_LIBRARY_PATH"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if read && !k.host.EndIdle() {
			e.print("stderr", "the training process runs already, without this "+name+": it reads it when it starts; close its sessions, and run this line again\n")
		}
	}
}

// runIn runs one program in GoNB and returns its error. The error's Name is
// empty if the program succeeded. An interrupt ends all processes that the
// program has started.
func (k *Kernel) runIn(child *gonb.Child, e *execution, cell gonb.Cell) (jupyter.ErrorReply, error) {
	over := make(chan struct{})

	interrupter := process.NewInterrupter(child.ID())
	interrupter.Slow = func() { e.cell.Remark(stillCleaning) }
	k.mu.Lock()
	e.interrupter = interrupter
	k.mu.Unlock()

	stop := context.AfterFunc(e.context, func() { interrupter.Run(over, e.cell.Forced) })
	defer stop()
	defer close(over)
	go child.AbandonUnless(over, e.cell.Forced, interrupter.OutOfReach)

	cell.CallerSignals, cell.Number = process.Visible(), e.cell.Number
	reply, err := child.Execute(e.context, cell)

	if e.context.Err() != nil {
		interrupter.Sweep(over, false) // the cell's last processes; new ones belong to another cell from now on
		if err != nil {
			err = errs.New(errs.Interrupted, errs.Of(err).Remedy, "the cell was interrupted; %s", errs.Of(err).What)
		}
	}
	return reply, err
}

// stillCleaning is printed below an interrupted cell that takes long to end.
const stillCleaning = "interrupted: the cell is cleaning up and is killed 5 seconds after the interrupt; interrupt again to end it at once\n"

// showLastVariable is an environment variable. If you set it to off, cells
// don't show their last value.
const showLastVariable = "FSNET_SHOW_LAST"
