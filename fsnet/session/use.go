package session

import (
	"context"
	"os"

	"fsnetlab/fsnet/fault"
)

// Session is a handle of a live training: a name and a configuration. It is a value without I/O, so that it may stand at the top of a
// notebook, where declarations are run again in every later cell. Copies are the same session. Make one with [Use].
//
// The first verb attaches: to the training of that name if there is one and its structural keys agree (an error says which do not), else
// it opens one. Live keys belong to the training's timeline and are never compared.
type Session struct {
	name   string
	config Config
	state  *attachment
	link   *link
}

// attachment remembers that a handle has attached, for all its copies.
type attachment struct {
	turn chan struct{} // holds one while a copy opens or closes the session
	done bool
}

func newAttachment(done bool) *attachment {
	return &attachment{turn: make(chan struct{}, 1), done: done}
}

// enter waits for the handle's turn; leave must follow. Opening may take minutes, so whoever waits may give up.
func (s Session) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-s.state.turn }
	select {
	case s.state.turn <- struct{}{}: // also for one whose context has ended: a verb may have something to say to that
		return leave, nil
	default:
	}
	select {
	case s.state.turn <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, interrupted(ctx, "waiting for session "+s.name+" to open")
	}
}

// Use makes a handle. It does no I/O, checks nothing and never fails. A configuration without any key takes the training of that name
// as it is; where there is none, the first verb says so.
func Use(name string, c Config) Session {
	return Session{name: name, config: c, state: newAttachment(false), link: process}
}

// Name is the session's name.
func (s Session) Name() string { return s.name }

// attached is the service behind the handle, once the session is open there.
func (s Session) attached(ctx context.Context) (*Client, error) {
	client, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if !s.state.done {
		if _, err := client.Open(ctx, s.request(false)); err != nil {
			return nil, err
		}
		s.state.done = true
	}
	return client, nil
}

func (s Session) connected(ctx context.Context) (*Client, error) {
	if s.link == nil {
		return nil, fault.New(fault.Request, `write session.Use("leukemia", session.Config{Data: "ALLAML"})`,
			"a Session was not made with session.Use")
	}
	return s.link.client(ctx)
}

// request opens the session as the handle says. Relative paths start where the program runs.
func (s Session) request(replace bool) OpenRequest {
	directory, err := os.Getwd()
	if err != nil {
		directory = "" // a deleted directory: the other end takes its own
	}
	return OpenRequest{Session: s.name, Config: s.config, Replace: replace, Attach: !replace && len(s.config.Given()) == 0,
		Directory: directory}
}
