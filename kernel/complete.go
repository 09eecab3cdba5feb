package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/gopls"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
)

// warm starts GoNB and gopls at the same time, because a user may press Tab
// before running a cell. It returns when GoNB is ready.
func (k *Kernel) warm() {
	go k.explain.load(k.loop.Life())
	k.gonb.get(k.loop.Life()) //nolint:errcheck // the first Go cell reports the error
}

// Complete implements jupyter.Language. The magics complete %fsnet lines
// without starting a host. Commands are completed by name, and Go code by
// gopls.
func (k *Kernel) Complete(ctx context.Context, r jupyter.CompleteRequest) (reply jupyter.CompleteReply) {
	cursor := cell.At(r.Code, r.CursorPos)
	reply.CursorStart, reply.CursorEnd = cursor.Cursor(), cursor.Cursor()

	matches, start, end, ok := k.magics.Complete(magic.WithoutStart(ctx), r.Code, cursor.Cursor())
	if ok {
		reply.Matches, reply.CursorStart, reply.CursorEnd = matches, start, end
		types := []jupyterType{}
		for _, match := range matches {
			kind, about := k.magics.About(match)
			types = append(types, jupyterType{start, end, match, kind, about})
		}
		reply.Metadata = map[string]any{typesKey: types}
	} else if word, first, ok := cell.CommandAt(r.Code, cursor); ok {
		reply.Matches, reply.CursorStart = k.completeCommand(word, first), cursor.Cursor()-len([]rune(word))
	} else if !k.gonb.disabled {
		addItems(&reply, k.explain.complete(ctx, r.Code, cursor), cursor.Offset)
	}

	return reply
}

// completeCommand returns the completions of word, the last word of a command
// that starts with first. It completes names of commands, and what %rm can
// forget.
func (k *Kernel) completeCommand(word, first string) []string {
	candidates := []string{}
	switch {
	case word == first && strings.HasPrefix(word, "%"):
		candidates = append(candidates, "%fsnet")
		for _, c := range slices.Concat(cell.Commands(), cell.LineMagics()) {
			candidates = append(candidates, c.Name)
		}
	case first == "%rm" || first == "%remove":
		if child := k.gonb.keeper.Current(); child != nil {
			candidates = append(candidates, child.Names()...)
		}
	}

	return slices.DeleteFunc(candidates, func(c string) bool { return !strings.HasPrefix(c, word) })
}

// typesKey names the metadata that JupyterLab shows next to matches.
const typesKey = "_jupyter_types_experimental"

// jupyterType describes one match.
type jupyterType struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
}

// addItems adds gopls's items to the reply. Their line starts offset characters
// into the cell. All matches of a reply must replace the same range, so fill
// skips items with a different one.
func addItems(reply *jupyter.CompleteReply, items []gopls.Item, offset int) {
	types := []jupyterType{}
	for i, item := range items {
		if i > 0 && (item.Start != items[0].Start || item.End != items[0].End) {
			continue
		}

		reply.CursorStart, reply.CursorEnd = offset+item.Start, offset+item.End
		reply.Matches = append(reply.Matches, item.Text)
		types = append(types, jupyterType{reply.CursorStart, reply.CursorEnd, item.Text, iconOf(item.Kind), item.Detail})
	}

	if len(types) > 0 {
		reply.Metadata = map[string]any{typesKey: types}
	}
}

// iconOf returns JupyterLab's name for a kind.
func iconOf(kind string) string {
	icons := map[string]string{"field": "property", "variable": "instance", "type": "class", "constant": "value", "method": "function"}
	return cmp.Or(icons[kind], kind)
}

// Inspect implements jupyter.Language. It uses the same sources as Complete.
func (k *Kernel) Inspect(ctx context.Context, r jupyter.InspectRequest) (reply jupyter.InspectReply) {
	cursor := cell.At(r.Code, r.CursorPos)

	if picture, ok := k.magics.Inspect(r.Code, cursor.Cursor()); ok {
		reply.Data = picture.Bundle()
	} else if _, first, ok := cell.CommandAt(r.Code, cursor); ok {
		commands := slices.Concat(cell.Commands(), cell.LineMagics())
		if i := slices.IndexFunc(commands, func(c cell.Command) bool { return c.Name == first }); i >= 0 {
			c := commands[i]
			reply.Data = chart.Picture{Text: strings.TrimSpace(c.Name+" "+c.Usage) + "\n" + c.About}.Bundle()
		}
	} else if name, ok := cell.NameAt(r.Code, cursor); ok && !k.gonb.disabled {
		if text, source := k.explain.hover(ctx, r.Code, name, r.DetailLevel > 0); text != "" {
			text += k.keyHelp(text)
			if source != "" {
				text += "\n\n```go\n" + source + "\n```\n"
			}
			reply.Data = map[string]any{"text/markdown": text, "text/plain": plain(text)}
		}
	}

	return reply
}

// configField matches the documentation of a field of session.Config. The
// field's JSON name is the name of its key.
var configField = regexp.MustCompile("^```go\nfield \\w+ [^\n]*`json:\"(\\w+),omitempty\"`")

// keyHelp returns the help for the key behind a field of session.Config, with its
// symbol, range and default. It returns "" if the documentation isn't about
// such a field.
func (k *Kernel) keyHelp(hover string) string {
	match := configField.FindStringSubmatch(hover)
	if match == nil {
		return ""
	}
	line := "%fsnet set " + match[1]
	p, ok := k.magics.Inspect(line, len(line))
	if !ok {
		return ""
	}
	return "\n\n```\n" + p.Text + "\n```\n"
}

// plain removes fences and rules from Markdown, for a terminal.
func plain(markdown string) string {
	var lines []string
	for line := range strings.SplitSeq(markdown, "\n") {
		if strings.HasPrefix(line, "```") || line == "---" {
			continue
		}

		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}

		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// IsComplete implements jupyter.Language. If the code ends in a %fsnet line,
// that line decides. Otherwise the other lines do.
func (k *Kernel) IsComplete(code string) jupyter.IsCompleteReply {
	complete, isMagic := magic.IsComplete(code)
	status, indent := "incomplete", ""
	if complete {
		status = "complete"
	} else if !isMagic {
		status, indent = cell.Completeness(cell.Blank(code))
	}
	return jupyter.IsCompleteReply{Status: status, Indent: indent}
}

const (
	// explainLimit bounds the wait for an answer about Go code. JupyterLab
	// drops an answer that takes a second.
	explainLimit = 900 * time.Millisecond
	// explainStart bounds the start of gopls. It normally takes a second.
	explainStart = 30 * time.Second
	// explainRest is the pause after a failed start of gopls.
	explainRest = 10 * time.Second
	// explainIdle is how long gopls may go without a question before it is
	// stopped, because it takes a hundred megabytes.
	explainIdle = 20 * time.Minute
	// explainPatience is the number of consecutive unanswered questions after
	// which gopls is replaced.
	explainPatience = 3
)

// explainer answers questions about Go code with the kernel's gopls. If gopls
// has ended or hangs, explainer starts another. Cells and questions don't wait
// for each other.
type explainer struct {
	cells      *goCells
	keeper     *process.Keeper[*gopls.Server]
	unanswered atomic.Int32 // number of consecutive questions

	loadMu  sync.Mutex
	imports string // imports that gopls has loaded, as lines of Go
}

func newExplainer(cells *goCells) *explainer {
	x := &explainer{cells: cells}
	x.keeper = process.NewKeeper(process.KeeperOptions[*gopls.Server]{Name: "gopls", Start: x.start, Limit: explainStart, Rest: explainRest,
		Idle: explainIdle})
	return x
}

// question asks about a place in a cell, compiled as GoNB would compile it now.
type question struct {
	files  []gopls.File
	cursor gopls.Position
}

// question returns the question about a place of a cell. The package also has
// what the last GoNB remembers. Before the first GoNB, it has the imports of
// the workspace.
func (x *explainer) question(w *gonb.Workspace, code string, cursor cell.Place) question {
	packageOf := w.Package
	if child := x.cells.keeper.Last(); child != nil {
		packageOf = child.Package
	}

	const cellFile = "cell.go"
	own, remembered, first := packageOf(cell.Blank(code))
	return question{
		files:  []gopls.File{{Name: "remembered.go", Text: remembered}, {Name: cellFile, Text: own}},
		cursor: gopls.Position{File: cellFile, Line: cursor.Line + first, Column: cursor.Column},
	}
}

// complete returns the completions at a place of a cell. It returns no items if
// gopls is too slow.
func (x *explainer) complete(life context.Context, code string, at cell.Place) (items []gopls.Item) {
	x.ask(life, code, at, func(ctx context.Context, s *gopls.Server, q question) (err error) {
		items, err = s.Complete(ctx, q.files, q.cursor)
		return err
	})
	return items
}

// hover returns the documentation of the name at a place of a cell and, with
// detail, its source. It returns "" if gopls is too slow.
func (x *explainer) hover(life context.Context, code string, at cell.Place, detail bool) (text, source string) {
	x.ask(life, code, at, func(ctx context.Context, s *gopls.Server, q question) (err error) {
		if text, err = s.Hover(ctx, q.files, q.cursor); err == nil && detail {
			source, err = s.Source(ctx, q.files, q.cursor)
		}
		return err
	})
	return text, source
}

// ask starts gopls if necessary and asks it a question. If a cell has changed
// go.mod, it first makes gopls reload that. It gives up after explainLimit. It
// reports no error, because without an answer there is nothing to show.
func (x *explainer) ask(life context.Context, code string, cursor cell.Place, ask func(context.Context, *gopls.Server, question) error) {
	ctx, cancel := context.WithTimeout(life, explainLimit)
	defer cancel()

	server, err := x.keeper.Get(ctx)
	if err != nil {
		return
	}

	w, err := x.cells.openWorkspace()
	if err != nil {
		return
	}

	if _, changed, err := w.ExplainDirectory(); err == nil && len(changed) > 0 {
		server.Reload(ctx, changed...) //nolint:errcheck // the question fails, too
	}

	err = ask(ctx, server, x.question(w, code, cursor))
	if !errors.Is(err, context.DeadlineExceeded) {
		x.unanswered.Store(0)
	} else if x.unanswered.Add(1) >= explainPatience {
		x.unanswered.Store(0)
		x.keeper.Drop(server)
	}
}

// firstQuestion returns a question that needs the types of the imported
// packages.
func (x *explainer) firstQuestion(w *gonb.Workspace) question {
	return x.question(w, "%%\nfmt.Println(session.Use(\"\", session.Config{}).Name)", cell.Place{Line: 1, Column: len("fmt.Pr")})
}

// load has gopls load the imports of earlier cells, so that the user's first
// question is fast. It returns once gopls has loaded them, and starts gopls if
// necessary. It does nothing if another load is running.
func (x *explainer) load(life context.Context) {
	if x.cells.disabled || !x.loadMu.TryLock() {
		return
	}
	defer x.loadMu.Unlock()

	ctx, cancel := context.WithTimeout(life, explainStart)
	defer cancel()
	server, err := x.keeper.Get(ctx)
	if err != nil {
		return // the next question tries again
	}

	w, err := x.cells.openWorkspace()
	if err != nil {
		return
	}

	q := x.firstQuestion(w)
	imports := importLines(q.files[0].Text)
	_, changed, err := w.ExplainDirectory()
	if err != nil || len(changed) == 0 && imports == x.imports {
		return
	}

	if len(changed) > 0 {
		server.Reload(ctx, changed...) //nolint:errcheck // the question fails, too
	}

	if _, err := server.Complete(ctx, q.files, q.cursor); err == nil {
		x.imports = imports
	}
}

// importLines returns the import lines of a file.
func importLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "import ") }), "\n")
}

// start starts gopls on the package without a cell. It then asks a first
// question, so that gopls loads the imports of cells.
func (x *explainer) start(ctx context.Context, before *gopls.Server) (*gopls.Server, error) {
	if before != nil {
		before.Stop(0)
	}

	w, err := x.cells.openWorkspace()
	if err != nil {
		return nil, err
	}

	if w.Tools.Gopls == "" {
		return nil, fmt.Errorf("gopls: %w", exec.ErrNotFound)
	}

	dir, _, err := w.ExplainDirectory()
	if err != nil {
		return nil, err
	}

	q := x.firstQuestion(w)
	for _, f := range q.files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o600); err != nil {
			return nil, err
		}
	}

	server, err := gopls.Start(ctx, gopls.Options{Program: w.Tools.Gopls, Directory: dir, Environment: w.ExplainEnvironment()})
	if err != nil {
		return nil, err
	}

	if _, err := server.Complete(ctx, q.files, q.cursor); err != nil {
		server.Stop(0)
		return nil, err
	}
	return server, nil
}
