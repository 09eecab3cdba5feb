package repl

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
)

const (
	lookLimit  = 300 * time.Millisecond // for the sessions' states at a prompt
	leaveLimit = 2 * time.Second        // for the sessions' states when leaving
)

const howToLeave = "Ctrl-D or quit leaves; every session keeps its last checkpoint"

// interact runs lines from a terminal until its user leaves or the context
// ends. Then it closes the sessions and reports where each is kept.
func (r *repl) interact(ctx context.Context) error {
	e, err := newEditor(r.options, completer{r}, r.signals)
	if err != nil {
		return errs.Wrap(err, errs.Failed, "give the lines with -c, or as a file", "the terminal cannot be used")
	}
	defer e.close()
	defer context.AfterFunc(ctx, e.close)() // a signal ends the wait for a line

	r.greet()
	before := map[string]bool{} // sessions that were running at the last prompt
	interrupted := false        // the last input was a Ctrl-C
	for ctx.Err() == nil {
		before = r.reportEnded(ctx, before)
		prompt := r.prompt(ctx)
		select {
		case <-r.signals: // it came while no line was running
		default:
		}

		text, err := e.read(prompt)
		if errors.Is(err, errInterrupted) {
			if interrupted {
				r.screen.hint(howToLeave)
			}
			interrupted = true
			continue
		}

		interrupted = false
		if l, parseErr := parseLine(text); err != nil || parseErr == nil && l.leave {
			if ctx.Err() != nil || r.confirmLeave(ctx, e) {
				break
			}
			continue
		}

		if err := r.interruptibly(ctx, text); err != nil {
			r.screen.fail(err)
		}
	}

	for _, line := range r.closeAll(context.WithoutCancel(ctx), false) {
		r.screen.say(line)
	}
	return nil
}

// interruptibly runs a line, and Ctrl-C pauses it. Until it ends, the terminal
// doesn't show what is typed.
func (r *repl) interruptibly(ctx context.Context, text string) error {
	restore := withoutEcho(r.options.In)
	defer restore()
	ctx, stop := r.interruptible(ctx)
	defer stop()

	ended := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() { r.reportPausing(ctx, ended) })
	defer r.screen.settle() // clears a notice that came a moment too late
	defer waiting.Wait()
	defer close(ended)
	return r.execute(ctx, text)
}

// pauseNotice is how long a pause may take before a notice appears.
const pauseNotice = 500 * time.Millisecond

// reportPausing confirms a Ctrl-C that takes a while, because compiling a graph
// takes seconds.
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

// greet prints the version, some help and the names of the saved sessions.
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

// prompt returns a prompt with the current session and, while it runs in the
// background, its progress.
func (r *repl) prompt(ctx context.Context) string {
	name := r.magics.Current()
	if name == "" {
		return r.screen.paint("1", "fsnet›") + " "
	}
	for _, s := range r.running(ctx, lookLimit) {
		if s.Session == name && s.Steps > 0 {
			return r.screen.paint("1;34", fmt.Sprintf("%s %d%%›", name, 100*s.Step/s.Steps)) + " "
		}
	}
	return r.screen.paint("1;34", name+"›") + " "
}

// reportEnded shows the sessions that have ended since the last prompt. before
// holds those that were running then. It returns those that are running now.
func (r *repl) reportEnded(ctx context.Context, before map[string]bool) map[string]bool {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()

	now := map[string]bool{}
	list, _ := r.sessions(ctx) // an empty list will do
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

// confirmLeave asks before leaving would pause a run, and reports whether to
// leave. A second Ctrl-D means yes, and Ctrl-C means no.
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

// closeLimit bounds how long the sessions may take to pause and write their
// last checkpoints.
const closeLimit = 10 * time.Second

// sessions lists the open sessions without starting a host.
func (r *repl) sessions(ctx context.Context) ([]session.Status, error) {
	service, err := r.link.ForMagics(magic.WithoutStart(ctx))
	if err != nil {
		return nil, nil //nolint:nilerr // no host is running
	}
	return session.VerbSessions.Call(ctx, service, session.None{})
}

// running lists the running sessions. The list is empty if the host doesn't
// answer within limit.
func (r *repl) running(ctx context.Context, limit time.Duration) []session.Status {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	list, _ := r.sessions(ctx)
	return slices.DeleteFunc(list, func(s session.Status) bool { return s.State != session.Running })
}

// closeAll pauses and closes the sessions, so that they write their
// checkpoints. It returns a line about each session or, with busy, about each
// that was running.
func (r *repl) closeAll(ctx context.Context, busy bool) []string {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()

	list, err := r.sessions(ctx)
	if err != nil && ctx.Err() != nil {
		return []string{"the training process does not answer and was ended: its sessions are kept up to their last checkpoints"}
	}

	var lines []string
	for _, s := range list {
		if line := r.closeOne(ctx, s); line != "" && (s.State == session.Running || !busy) {
			lines = append(lines, line)
		}
	}
	return lines
}

// closeOne pauses and closes a session. It returns a line that says where the
// session stands or what went wrong. If another process owns the session,
// closeOne leaves it alone and returns "".
func (r *repl) closeOne(ctx context.Context, s session.Status) string {
	if s.ReadOnly {
		return ""
	}
	open := session.On(r.link, s.Session)
	now, err := open.Pause(ctx)
	if err == nil {
		err = open.Close(ctx)
	}

	switch {
	case err != nil:
		return fmt.Sprintf("%s: %s", s.Session, errs.Of(err).What)
	case now.RunDirectory == "":
		return fmt.Sprintf("%s: step %d of %d, not kept", s.Session, now.Step, now.Steps)
	}
	return fmt.Sprintf("%s: step %d of %d, kept in %s; open %s continues it", s.Session, now.Step, now.Steps, r.relative(now.RunDirectory),
		s.Session)
}

// relative returns path relative to the working directory. If path isn't below
// that directory, relative returns it unchanged.
func (r *repl) relative(path string) string {
	if rel, err := filepath.Rel(r.directory, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
