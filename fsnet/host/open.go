package host

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Open implements session.Service.
func (h *Host) Open(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	if err := checkName(request.Session); err != nil {
		return session.Status{}, err
	}
	if request.Attach && request.Replace {
		return session.Status{}, fault.New(fault.Request, "leave one of them out", "attach takes a session as it is, replace ends it")
	}
	if request.Attach {
		return h.Status(ctx, request.Session)
	}
	settings, err := request.Config.Resolve()
	if err != nil {
		return session.Status{}, err
	}
	directory, err := filepath.Abs(cmp.Or(request.Directory, "."))
	if err != nil {
		return session.Status{}, fault.Wrap(err, fault.Request, "give the directory in full", "directory %q", request.Directory)
	}
	for {
		s, err := h.openOrAttach(ctx, request.Session, settings, directory, request.Replace)
		if err != nil {
			return session.Status{}, err
		}
		status, err := s.currentStatus(ctx)
		if !fault.Is(err, fault.NotFound) { // else somebody closed it in between
			return status, err
		}
	}
}

func (h *Host) openOrAttach(ctx context.Context, name string, settings config.Settings, directory string, replace bool) (*live, error) {
	there, done, err := h.claim(ctx, name, replace)
	if err != nil {
		return nil, err
	}
	if there != nil {
		return there, there.agrees(settings, directory)
	}
	defer done()
	training, err := h.openTraining(ctx, name, settings, directory)
	if err != nil {
		return nil, err
	}
	s := newLive(name, settings, directory, training, h.options.Log)
	return s, h.install(s)
}

// install puts a session under its name, which the caller has claimed, and closes the one before.
func (h *Host) install(s *live) error {
	h.mu.Lock()
	before := h.sessions[s.name]
	if h.life.Err() != nil {
		h.mu.Unlock()
		s.close()
		return shutDown()
	}
	h.sessions[s.name] = s
	h.mu.Unlock()
	if before != nil { // not sooner: had the new one failed to open, the old one would live on
		before.close()
	}
	return nil
}

// claim returns the session of that name, or the right to open it; done gives that right back.
func (h *Host) claim(ctx context.Context, name string, replace bool) (there *live, done func(), err error) {
	for {
		h.mu.Lock()
		there, opening := h.sessions[name], h.opening[name]
		switch {
		case h.life.Err() != nil:
			h.mu.Unlock()
			return nil, nil, shutDown()
		case opening != nil: // wait
		case there != nil && !replace:
			h.mu.Unlock()
			return there, nil, nil
		case there == nil && len(h.sessions)+len(h.opening) >= MaxSessions:
			names := h.names()
			h.mu.Unlock()
			return nil, nil, fault.New(fault.Request, "close one of "+join(names), "%d sessions are open, and no more fit", MaxSessions)
		default:
			over := make(chan struct{})
			h.opening[name] = over
			h.mu.Unlock()
			return nil, func() {
				h.mu.Lock()
				delete(h.opening, name)
				h.mu.Unlock()
				close(over)
			}, nil
		}
		h.mu.Unlock()
		select {
		case <-opening:
		case <-ctx.Done():
			return nil, nil, interrupted(ctx, name)
		}
	}
}

// openTraining calls the engine; a panic becomes an error, as the host lives on.
func (h *Host) openTraining(ctx context.Context, name string, settings config.Settings, directory string) (training Training, err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(h.options.Log, "opening session %s: %v\n%s", name, r, debug.Stack()) //nolint:errcheck // nowhere to say so
			training, err = nil, fault.New(fault.Failed, "run fsnet doctor, or take backend=go", "session %q cannot be opened: the engine stopped unexpectedly: %.300s", name, firstLine(fmt.Sprint(r)))
		}
	}()
	ctx, cancel := ending(ctx, h.life)
	defer cancel()
	training, err = h.options.Open(ctx, settings, directory)
	if err == nil {
		return training, nil
	}
	if isContext(err) {
		return nil, interrupted(ctx, name)
	}
	return nil, fault.Of(err)
}

// agrees explains where the structural keys of an open session differ from what was asked for.
func (s *live) agrees(asked config.Settings, directory string) error {
	var list []string
	for _, d := range s.settings.Differences(asked) {
		if d.Key != "data" {
			list = append(list, fmt.Sprintf("%s is %s, not %s", d.Key, asText(d.Key, d.From, s.settings), asText(d.Key, d.To, asked)))
		}
	}
	if !sameData(s.settings.Data, s.directory, asked.Data, directory) {
		was, is := s.settings.Data, asked.Data
		if was == is { // one relative path, two directories
			was, is = locate(was, s.directory), locate(is, directory)
		}
		list = append([]string{fmt.Sprintf("data is %s, not %s", asText("data", was, s.settings), asText("data", is, asked))}, list...)
	}
	if len(list) == 0 {
		return nil
	}
	return fault.New(fault.Request, "take another name, or replace=true to end the open one", "session %q is open with other settings: %s", s.name, strings.Join(list, "; "))
}

// asText writes a key's value; one that a Config cannot tell from "not given" is the default.
func asText(name, value string, settings config.Settings) string {
	if key, err := config.Lookup(name); err == nil && value == "" {
		value = key.Default(settings.Protocol)
	}
	return cmp.Or(value, "(not given)")
}

func shutDown() error {
	return fault.New(fault.Unavailable, "start it again", "the host is ending")
}
