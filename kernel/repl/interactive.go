package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

const (
	lookLimit  = 300 * time.Millisecond // for the state of the sessions at a prompt
	leaveLimit = 2 * time.Second        // the same before leaving
)

const howToLeave = "Ctrl-D or quit leaves; every session keeps its last checkpoint"

// interact reads lines from a terminal until its user leaves or the context ends.
func (r *repl) interact(ctx context.Context) error {
	e, err := newEditor(r.options, completer{r}, r.signals)
	if err != nil {
		return fault.Wrap(err, fault.Failed, "give the lines with -c, or as a file", "the terminal cannot be used")
	}
	defer e.close()
	defer context.AfterFunc(ctx, e.close)() // a signal ends the wait for a line
	r.greet()
	before := map[string]bool{} // sessions that were running at the last prompt
	interrupted := false        // it was the last that came from the prompt
	for {
		before = r.reportEnded(ctx, before)
		prompt := r.prompt(ctx)
		select {
		case <-r.signals: // it came when nothing ran
		default:
		}
		text, err := e.read(prompt)
		switch {
		case errors.Is(err, errInterrupted):
			if interrupted {
				r.screen.hint(howToLeave)
			}
			interrupted = true
			continue
		case err != nil:
			if ctx.Err() != nil || r.confirmLeave(ctx, e) {
				return r.leave(ctx)
			}
			continue
		}
		interrupted = false
		if l, err := parseLine(text); err == nil && l.leave {
			if r.confirmLeave(ctx, e) {
				return r.leave(ctx)
			}
			continue
		}
		if err := r.interruptibly(ctx, text); err != nil {
			r.screen.fail(err)
		}
		if ctx.Err() != nil {
			return r.leave(ctx)
		}
	}
}

// interruptibly runs a line that Ctrl-C pauses.
func (r *repl) interruptibly(ctx context.Context, text string) error {
	restore := withoutEcho(r.options.In)
	defer restore()
	ctx, stop := r.interruptible(ctx)
	defer stop()
	ended := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() { r.reportPausing(ctx, ended) })
	defer r.screen.settle() // it may have said so a moment too late
	defer waiting.Wait()
	defer close(ended)
	return r.execute(ctx, text)
}

// pauseNotice is how long a pause may take before it is spoken of.
const pauseNotice = 500 * time.Millisecond

// reportPausing tells whoever pressed Ctrl-C that it was heard: a graph that is being compiled takes seconds.
func (r *repl) reportPausing(ctx context.Context, ended chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ended:
		return
	}
	select {
	case <-time.After(pauseNotice):
		r.screen.notice("pausing after this step …")
	case <-ended:
	}
}

// greet says what this is, and what was left here.
func (r *repl) greet() {
	r.screen.say("FsNet " + r.options.Version)
	r.screen.hint("help lists the verbs · Tab completes · WORD? explains · Ctrl-C pauses a run · Ctrl-D leaves")
	names := r.savedRuns()
	if len(names) == 0 {
		return
	}
	const most = 6
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	r.screen.hint("kept here: " + strings.Join(names, ", ") + " · open NAME continues one")
}

// prompt names the session used last, and how far it is while it runs in the background.
func (r *repl) prompt(ctx context.Context) string {
	name := r.magics.Current()
	if name == "" {
		return r.screen.coloured("1", "fsnet›") + " "
	}
	for _, s := range r.running(ctx, lookLimit) {
		if s.Session == name && s.Steps > 0 {
			return r.screen.coloured("1;34", fmt.Sprintf("%s %d%%›", name, 100*s.Step/s.Steps)) + " "
		}
	}
	return r.screen.coloured("1;34", name+"›") + " "
}

// reportEnded shows the sessions that ran in the background at the last prompt and do so no more.
func (r *repl) reportEnded(ctx context.Context, before map[string]bool) map[string]bool {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	now := map[string]bool{}
	list, _ := r.sessions(ctx) // none is as good as any other answer
	for _, s := range list {
		switch {
		case s.State == session.Running:
			now[s.Session] = true
		case before[s.Session]:
			r.screen.Display(chart.Status(s))
		}
	}
	return now
}

// confirmLeave asks where a run would be paused by it. Ctrl-D again is a yes.
func (r *repl) confirmLeave(ctx context.Context, e *editor) bool {
	running := r.running(ctx, leaveLimit)
	if len(running) == 0 {
		return true
	}
	for _, s := range running {
		r.screen.say(fmt.Sprintf("%s is running: step %d of %d", s.Session, s.Step, s.Steps))
	}
	answer, err := e.line("pause it, keep it and leave? [Y/n] ")
	if errors.Is(err, errInterrupted) {
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err != nil || answer == "" || strings.HasPrefix(answer, "y")
}

// leave closes the sessions and says what is kept of them.
func (r *repl) leave(ctx context.Context) error {
	for _, line := range r.closeAll(context.WithoutCancel(ctx), false) {
		r.screen.say(line)
	}
	return nil
}
