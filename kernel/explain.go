package kernel

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/gopls"
	"fsnetlab/kernel/internal/process"
)

const (
	// explainLimit is how long a front end waits for an answer about Go code: an empty one is better than a late one.
	explainLimit = 900 * time.Millisecond
	// explainStart is how long gopls may take to be ready; it takes a second.
	explainStart = 30 * time.Second
	// explainRest is how long a gopls that did not start is left alone.
	explainRest = 10 * time.Second
	// explainIdle is how long gopls, which takes a hundred megabytes, is kept without a question.
	explainIdle = 20 * time.Minute
	// explainPatience is how many questions in a row may go unanswered before gopls is replaced.
	explainPatience = 3
)

// explainer is the kernel's own gopls: started in the background, and again by the next question once it has ended or hangs. Cells and
// questions do not wait for each other.
type explainer struct {
	cells      *goCells
	keeper     *process.Keeper[*gopls.Server]
	unanswered atomic.Int32 // questions in a row
}

func newExplainer(cells *goCells) *explainer {
	x := &explainer{cells: cells}
	x.keeper = process.NewKeeper(process.KeeperOptions[*gopls.Server]{Name: "gopls", Start: x.start, Limit: explainStart, Rest: explainRest,
		Idle: explainIdle})
	return x
}

// question is a place in the package that a cell would be compiled in.
type question struct {
	files []gopls.File
	at    gopls.Position
}

// question is about a place of a cell.
func (x *explainer) question(w *gonb.Workspace, code string, at cell.Place) question {
	packageOf := w.Package
	if child := x.cells.keeper.Last(); child != nil {
		packageOf = child.Package
	}
	const cellFile = "cell.go"
	own, remembered, first := packageOf(cell.Blank(code))
	return question{
		files: []gopls.File{{Name: "remembered.go", Text: remembered}, {Name: cellFile, Text: own}},
		at:    gopls.Position{File: cellFile, Line: at.Line + first, Column: at.Column},
	}
}

// complete gives what may stand at a place of a cell, within the limit.
func (x *explainer) complete(life context.Context, code string, at cell.Place) (items []gopls.Item) {
	x.ask(life, code, at, func(ctx context.Context, s *gopls.Server, q question) (err error) {
		items, err = s.Complete(ctx, q.files, q.at)
		return err
	})
	return items
}

// hover gives the documentation of what stands at a place of a cell, within the limit; where detail is asked for, with its source.
func (x *explainer) hover(life context.Context, code string, at cell.Place, detail bool) (text, source string) {
	x.ask(life, code, at, func(ctx context.Context, s *gopls.Server, q question) (err error) {
		if text, err = s.Hover(ctx, q.files, q.at); err == nil && detail {
			source, err = s.Source(ctx, q.files, q.at)
		}
		return err
	})
	return text, source
}

// ask asks a question, of a gopls that is told of a go.mod that a cell has changed. Without an answer in time there is none.
func (x *explainer) ask(life context.Context, code string, at cell.Place, ask func(context.Context, *gopls.Server, question) error) {
	ctx, cancel := context.WithTimeout(life, explainLimit)
	defer cancel()
	server, err := x.keeper.Get(ctx)
	if err != nil {
		return
	}
	w, err := x.cells.space()
	if err != nil {
		return
	}
	if _, changed, err := w.ExplainDirectory(); err == nil && len(changed) > 0 {
		server.Reload(ctx, changed...) //nolint:errcheck // the question tells that it has ended
	}
	err = ask(ctx, server, x.question(w, code, at))
	if !errors.Is(err, context.DeadlineExceeded) {
		x.unanswered.Store(0)
	} else if x.unanswered.Add(1) >= explainPatience {
		x.unanswered.Store(0)
		x.keeper.Drop(server)
	}
}

// start starts gopls on the package as it is without a cell, so that it finds something to load, and asks it a first question, for which it
// loads what cells import: one that needs the types of that.
func (x *explainer) start(ctx context.Context, before *gopls.Server) (*gopls.Server, error) {
	if before != nil {
		before.Stop(0)
	}
	w, err := x.cells.space()
	if err != nil {
		return nil, err
	}
	if w.Tools.Gopls == "" {
		return nil, fmt.Errorf("gopls: %w", exec.ErrNotFound)
	}
	q := x.question(w, "%%\nfmt.Println(session.Use(\"\", session.Config{}).Name)", cell.Place{Line: 1, Column: len("fmt.Pr")})
	for _, f := range q.files {
		if err := w.WriteExplained(f.Name, f.Text); err != nil {
			return nil, err
		}
	}
	dir, _, err := w.ExplainDirectory()
	if err != nil {
		return nil, err
	}
	server, err := gopls.Start(ctx, gopls.Options{Program: w.Tools.Gopls, Directory: dir, Environment: w.ExplainEnvironment()})
	if err != nil {
		return nil, err
	}
	if _, err := server.Complete(ctx, q.files, q.at); err != nil {
		server.Stop(0)
		return nil, err
	}
	return server, nil
}
