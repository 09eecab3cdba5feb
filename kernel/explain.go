package kernel

import (
	"context"
	"errors"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
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
	cells    *goCells
	starting process.Gate // one start at a time

	mu      sync.Mutex
	server  *gopls.Server
	begun   context.CancelFunc // ends a start that is under way
	failed  time.Time
	silent  int // questions in a row without an answer
	idle    *time.Timer
	stopped bool
}

func newExplainer(cells *goCells) *explainer {
	x := &explainer{cells: cells, starting: process.NewGate()}
	x.idle = time.AfterFunc(explainIdle, x.rest)
	return x
}

// rest ends gopls until the next question.
func (x *explainer) rest() {
	x.mu.Lock()
	server := x.server
	x.server = nil
	x.mu.Unlock()
	if server != nil {
		server.Stop()
	}
}

// question is a place in the package that a cell would be compiled in.
type question struct {
	files []gopls.File
	at    gopls.Position
}

const (
	cellFile       = "cell.go"
	rememberedFile = "remembered.go"
)

// ask makes a question about a line and a column (in characters) of a cell.
func (x *explainer) ask(code string, line, column int) (q question, first int) {
	cell, remembered, first := x.cells.packageOf(code)
	return question{
		files: []gopls.File{{Name: rememberedFile, Text: remembered}, {Name: cellFile, Text: cell}},
		at:    gopls.Position{File: cellFile, Line: line + first, Column: column},
	}, first
}

// complete gives what may stand at a place of a cell, within the limit.
func (x *explainer) complete(life context.Context, code string, line, column int) []gopls.Item {
	var items []gopls.Item
	x.within(life, func(ctx context.Context, s *gopls.Server) (err error) {
		q, _ := x.ask(code, line, column)
		items, err = s.Complete(ctx, q.files, q.at)
		return err
	})
	return items
}

// hover gives the documentation of what stands at a place of a cell, within the limit.
func (x *explainer) hover(life context.Context, code string, line, column int) string {
	var text string
	x.within(life, func(ctx context.Context, s *gopls.Server) (err error) {
		q, _ := x.ask(code, line, column)
		text, err = s.Hover(ctx, q.files, q.at)
		return err
	})
	return text
}

// within asks a question of a running gopls. Without an answer in time it asks nothing.
func (x *explainer) within(life context.Context, ask func(context.Context, *gopls.Server) error) {
	x.idle.Reset(explainIdle)
	ctx, cancel := context.WithTimeout(life, explainLimit)
	defer cancel()
	server := x.await(ctx, life)
	if server == nil {
		return
	}
	x.reload(ctx, server)
	err := ask(ctx, server)
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case !errors.Is(err, context.DeadlineExceeded):
		x.silent = 0
	case x.silent+1 >= explainPatience:
		x.silent = 0
		if x.server == server {
			x.server = nil
		}
		go server.Stop()
	default:
		x.silent++
	}
}

// await is the running gopls, or nil once the context has ended. It starts one where there is none, for this question or a later one.
func (x *explainer) await(ctx, life context.Context) *gopls.Server {
	if server := x.current(); server != nil {
		return server
	}
	got := make(chan *gopls.Server, 1)
	go func() { got <- x.start(life) }()
	select {
	case server := <-got:
		return server
	case <-ctx.Done():
		return nil
	}
}

func (x *explainer) current() *gopls.Server {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.server == nil {
		return nil
	}
	select {
	case <-x.server.Done():
		return nil
	default:
		return x.server
	}
}

// start starts gopls where none runs, and asks it a first question, for which it loads what cells import. nil: it cannot be had now.
func (x *explainer) start(life context.Context) *gopls.Server {
	if x.starting.Enter(life) != nil {
		return nil
	}
	defer x.starting.Leave()
	if server := x.current(); server != nil {
		return server
	}
	ctx, cancel := context.WithTimeout(life, explainStart)
	defer cancel()
	x.mu.Lock()
	dead := x.server
	resting := x.stopped || time.Since(x.failed) < explainRest
	x.server, x.begun = nil, cancel
	x.mu.Unlock()
	if resting {
		return nil
	}
	if dead != nil {
		dead.Stop()
	}
	server, err := x.launch(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.begun = nil
	switch {
	case err != nil:
		x.failed = time.Now()
		return nil
	case x.stopped:
		server.Stop()
		return nil
	}
	x.server = server
	return server
}

func (x *explainer) launch(ctx context.Context) (*gopls.Server, error) {
	w, err := x.cells.space()
	if err != nil {
		return nil, err
	}
	if w.Tools.Gopls == "" {
		return nil, fault.New(fault.Unavailable, "run ./install.sh again", "there is no gopls")
	}
	q, err := x.prepare(w)
	if err != nil {
		return nil, err
	}
	dir, _, err := w.ExplainDirectory()
	if err != nil {
		return nil, err
	}
	server, err := gopls.Start(ctx, gopls.Options{Program: w.Tools.Gopls, Directory: dir, Environment: w.ExplainEnvironment()})
	if err != nil {
		return nil, err
	}
	if err := server.Warm(ctx, q.files, q.at); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

// prepare writes the package as it is without a cell, so that gopls finds something to load, and makes the question that it is warmed
// with: one that needs the types of what cells import.
func (x *explainer) prepare(w *gonb.Workspace) (question, error) {
	const code = "%%\nfmt.Println(session.Use(\"\", session.Config{}).Name)"
	q, _ := x.ask(code, 1, len("fmt.Pr"))
	for _, f := range q.files {
		if err := w.WriteExplained(f.Name, f.Text); err != nil {
			return q, err
		}
	}
	return q, nil
}

// reload tells gopls of a go.mod that a cell has changed.
func (x *explainer) reload(ctx context.Context, server *gopls.Server) {
	w, err := x.cells.space()
	if err != nil {
		return
	}
	if _, changed, err := w.ExplainDirectory(); err == nil && len(changed) > 0 {
		server.Reload(ctx, changed...) //nolint:errcheck // the question tells that it has ended
	}
}

// stop ends gopls for good.
func (x *explainer) stop() {
	x.mu.Lock()
	x.stopped = true
	server, begun := x.server, x.begun
	x.mu.Unlock()
	x.idle.Stop()
	if begun != nil {
		begun()
	}
	if server != nil {
		server.Stop()
	}
	if x.starting.Enter(context.Background()) == nil { // a start that was under way has seen stopped
		x.starting.Leave()
	}
}
