package kernel

import (
	"context"
	"errors"
	"slices"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// execution is a running cell.
type execution struct {
	kernel      *Kernel
	cell        *jupyter.Cell
	text        text
	context     context.Context      // canceled when the cell is interrupted
	hasLock     bool                 // it holds Kernel.cellLock; guarded by Kernel.mu
	interrupter *process.Interrupter // interrupter of its program; guarded by Kernel.mu
	sessions    cellSessions

	mu       sync.Mutex
	displays map[string]*display // by id
	// Console shows displays in a console, because a console ignores updates.
	// It is nil in other front ends.
	console *consoleLine
}

// Execute implements jupyter.Language. It runs the parts of a cell. A cell with
// Go code first waits for cells of other shells. It gets its execution count
// after the wait, so that counts follow the order of execution.
func (k *Kernel) Execute(c *jupyter.Cell) error {
	e := &execution{kernel: k, cell: c, context: process.WithForceInterrupt(c.Context, c.Forced)}
	if c.Console {
		e.console = &consoleLine{}
	}

	k.add(e)
	defer k.remove(e)

	if err := k.listen(); err != nil { // most cells run without the socket
		k.options.Log.Warn("cells cannot show anything", "error", err)
	}

	var err error
	if e.text, err = parseText(c.Request.Code); err == nil && e.text.needsGoNB() && !k.gonb.disabled {
		err = k.lockCells(e)
	}

	c.Begin()
	if err == nil {
		err = k.check(e.text)
	}
	if err == nil {
		err = k.runParts(e)
	}
	e.flush() // so that an error comes last

	if e.text.needsGoNB() {
		go k.explain.load(k.loop.Life())
	}
	return err
}

// check reads all lines of a cell before the first one runs, so that a mistake
// in a later line doesn't leave half of the cell done. It leaves a cell that is
// only Go code to the compiler, because the compiler explains mistakes better.
func (k *Kernel) check(t text) error {
	for i, p := range t {
		for _, command := range p.commands {
			if err := k.magics.Check(command); err != nil {
				return err
			}
		}
		if _, err := p.timing(); err != nil {
			return err
		}

		if !p.hasGo() || i == 0 && len(p.commands) == 0 && len(t) == 1 && !slices.ContainsFunc(cell.CommandLines(p.rest.String()), isShell) {
			continue
		}

		if err := cell.CheckGo(p.rest.String()); err != nil {
			return err
		}
	}
	return nil
}

// isShell reports whether a command is a shell line. words are its words.
func isShell(words []string) bool { return words[0] == "!" }

// runParts runs the parts of a cell one after the other, up to the first error.
// An interrupt is an error if it kept lines from running, or if it ended a step
// or a run, because a client that sends one cell after the other must stop.
func (k *Kernel) runParts(e *execution) error {
	for i, p := range e.text {
		if i > 0 && e.context.Err() != nil {
			return notRunError("the Go code above")
		}

		for j, command := range p.commands {
			if err := k.magics.Run(e.context, command, e); err != nil {
				return err
			}

			if left := j+1 < len(p.commands) || p.hasGo() || len(p.magics) > 0 || i+1 < len(e.text); left && e.context.Err() != nil {
				return notRunError(cell.Prefix + " " + command.Verb)
			}

			if e.context.Err() != nil && (command.Verb == "step" || command.Verb == "run") {
				return errs.New(errs.Interrupted, "the next step or run goes on from there", "interrupted: %s %s is paused", cell.Prefix, command.Verb)
			}
		}

		if err := k.runPart(e, p); err != nil {
			if reply := (jupyter.ErrorReply{}); errors.As(err, &reply) && reply.Name == "CompileError" && e.text.hasRunBefore(i) {
				const remark = "the lines above have run"
				reply.Value, reply.Traceback = reply.Value+"; "+remark, append(slices.Clip(reply.Traceback), remark)
				err = reply
			}
			return err
		}
		e.flush() // before the output of the next part
	}
	return nil
}

// notRunError returns the error of a cell that was interrupted before its end.
func notRunError(done string) error {
	return errs.New(errs.Interrupted, "run them in a cell of their own", "interrupted: the lines after %s were not run", done)
}

// text holds the parts of a cell. Each part has %fsnet lines, then line magics,
// then Go code.
type text []part

type part struct {
	commands []magic.Command
	magics   []cell.LineMagic
	rest     cell.Code
}

// parseText reads a cell. If it returns an error, it also returns the parts, so
// that needsGoNB works.
func parseText(code string) (t text, err error) {
	parts, err := magic.Split(code)
	for _, p := range parts {
		magics, rest := cell.TakeLineMagics(p.Go)
		t = append(t, part{p.Commands, magics, rest})
		if err == nil {
			err = cell.Check(rest)
		}
	}
	return t, err
}

// hasRunBefore reports whether something ran before the Go code of a part was
// compiled.
func (t text) hasRunBefore(i int) bool {
	return i > 0 || len(t[i].commands) > 0 || slices.ContainsFunc(cell.CommandLines(t[i].rest.String()), isShell)
}

func (p part) hasGo() bool { return !p.rest.IsBlank() }

// needsGoNB reports whether a cell has Go code, or a statement to time.
func (t text) needsGoNB() bool {
	return slices.ContainsFunc(t, func(p part) bool {
		return p.hasGo() || slices.ContainsFunc(p.magics, func(m cell.LineMagic) bool { return m.Words[0] == "%timeit" })
	})
}

// waitsForTurn is printed below a Go cell that waits for a Go cell of another
// shell.
const waitsForTurn = "this cell waits: a Go cell of another shell is running, and GoNB runs one at a time (%fsnet lines do not wait)\n"

// add adds a cell to the running ones.
func (k *Kernel) add(e *execution) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = append(k.running, e)
}

// remove removes a cell from the running ones. If the cell held cellLock, the
// next Go cell may run.
func (k *Kernel) remove(e *execution) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = slices.DeleteFunc(k.running, func(other *execution) bool { return other == e })
	if e.hasLock {
		e.cell.Withdraw() // so that the next cell doesn't get the answer to this cell's question
		e.hasLock = false
		k.cellLock.Release()
	}
}

// lockCells waits until no other cell runs Go code. It fails if the cell is
// interrupted while it waits. Go cells need an order, because GoNB runs one
// program at a time and later cells see earlier declarations.
func (k *Kernel) lockCells(e *execution) error {
	if !k.cellLock.TryAcquire() {
		e.print("stderr", waitsForTurn)
		if k.cellLock.Acquire(e.context) != nil {
			return errs.New(errs.Interrupted, "run it again", "interrupted: the cell was still waiting for the Go cell of another shell")
		}
	}

	k.mu.Lock()
	defer k.mu.Unlock()
	e.hasLock = true
	return nil
}

// Evaluate implements jupyter.Language. It returns the last display of %fsnet
// lines, and an error for any other expression.
func (k *Kernel) Evaluate(c *jupyter.Cell, expression string) (jupyter.DisplayData, error) {
	parts, err := magic.Split(expression)
	if err != nil {
		return jupyter.DisplayData{}, err
	}

	commands := parts[0].Commands
	if len(commands) == 0 || len(parts) > 1 || !parts[0].Go.IsBlank() {
		return jupyter.DisplayData{}, errs.New(errs.Request, "ask for what a %fsnet line shows", "%.60q is no %%fsnet line", expression)
	}

	shown := &lastDisplay{last: jupyter.DisplayData{Data: map[string]any{"text/plain": ""}}}
	for _, command := range commands {
		if err := k.magics.Run(c.Context, command, shown); err != nil {
			return jupyter.DisplayData{}, err
		}
	}

	shown.mu.Lock()
	defer shown.mu.Unlock()
	return shown.last, nil
}

// lastDisplay is a magic.Output that keeps the last display instead of
// publishing it.
type lastDisplay struct {
	mu   sync.Mutex
	last jupyter.DisplayData
}

var _ magic.Output = (*lastDisplay)(nil)

func (g *lastDisplay) show(d jupyter.DisplayData) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = d
}

func (g *lastDisplay) Display(p chart.Picture) { g.show(displayData(p, "")) }
func (g *lastDisplay) Live(v ipywidgets.View) {
	g.show(jupyter.DisplayData{Data: v.Data, Metadata: v.Metadata})
}
func (g *lastDisplay) Update(_ string, p chart.Picture) { g.Display(p) }
func (g *lastDisplay) Result(p chart.Picture)           { g.Display(p) }
func (g *lastDisplay) Page(p chart.Picture)             { g.Display(p) }
func (g *lastDisplay) Clear(bool)                       {}
func (g *lastDisplay) Silent() bool                     { return false }
