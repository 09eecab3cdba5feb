package repl

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/trainer"
)

// closeLimit is how long the sessions have to come to a rest and write their last checkpoints.
const closeLimit = 10 * time.Second

// sessions lists what is open, without starting a host.
func (r *repl) sessions(ctx context.Context) ([]session.Status, error) {
	service, err := r.link.ForMagics(trainer.WithoutStart(ctx))
	if err != nil {
		return nil, nil //nolint:nilerr // no host is running
	}
	return session.VerbSessions.Call(ctx, service, session.None{})
}

// running lists those that run, and none where that is not known.
func (r *repl) running(ctx context.Context, limit time.Duration) []session.Status {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	list, _ := r.sessions(ctx)
	return slices.DeleteFunc(list, func(s session.Status) bool { return s.State != session.Running })
}

// closeAll pauses and closes the sessions, which writes their checkpoints, and says of each what is kept; with busy only of those that
// were running.
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
		return fmt.Sprintf("%s: %s", s.Session, fault.Of(err).What)
	case now.RunDirectory == "":
		return fmt.Sprintf("%s: step %d of %d, not kept", s.Session, now.Step, now.Steps)
	}
	return fmt.Sprintf("%s: step %d of %d, kept in %s; open %s continues it", s.Session, now.Step, now.Steps, r.relative(now.RunDirectory),
		s.Session)
}

// relative is a path as seen from here, where it is below.
func (r *repl) relative(path string) string {
	if rel, err := filepath.Rel(r.directory, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
