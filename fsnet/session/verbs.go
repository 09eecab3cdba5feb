package session

import (
	"context"
	"maps"
	"os"
	"os/signal"

	"fsnetlab/fsnet/fault"
)

// Open attaches to the training of this name where its structural keys agree, else makes it. Every other verb does so by itself.
func (s Session) Open(ctx context.Context) (Status, error) { return s.opened(ctx, false) }

// Replace opens the session anew, ending the one of this name that is in the way.
func (s Session) Replace(ctx context.Context) (Status, error) { return s.opened(ctx, true) }

func (s Session) opened(ctx context.Context, replace bool) (Status, error) {
	client, err := s.connected(ctx)
	if err != nil {
		return Status{}, err
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return Status{}, err
	}
	defer leave()
	status, err := client.Open(ctx, s.request(replace))
	if err == nil {
		s.state.done = true
	}
	return status, err
}

// Step advances by n ≥ 1 steps and returns when they are made, or earlier, without error, where the training ends. A context that ends
// pauses it: the status says where. So does an interrupt of the process (Ctrl-C, or a notebook's stop button), with an error of kind
// Interrupted.
func (s Session) Step(ctx context.Context, n int) (Status, error) {
	return s.advance(ctx, func(ctx context.Context, c *Client) (Status, error) { return c.Step(ctx, s.name, n) })
}

// Run advances until the first of the targets is reached; the zero value of Until is the end of the annealing, or earlier as the stop
// key says. It ends early like [Session.Step]. With Wait: new(false) it returns at once and the run goes on in the background, also after
// the cell or program has ended: Status shows it and Pause ends it.
func (s Session) Run(ctx context.Context, until Until) (Status, error) {
	return s.advance(ctx, func(ctx context.Context, c *Client) (Status, error) { return c.Run(ctx, s.name, until) })
}

func (s Session) advance(ctx context.Context, verb func(context.Context, *Client) (Status, error)) (Status, error) {
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	client, err := s.attached(signalled)
	if err != nil {
		return Status{}, err
	}
	status, err := verb(signalled, client)
	if err == nil && signalled.Err() != nil && ctx.Err() == nil {
		err = fault.New(fault.Interrupted, "the next step or run goes on from there", "interrupted: session %q stands at step %d (epoch %.4g)",
			s.name, status.Step, status.Epoch)
	}
	return status, err
}

// Rewind takes the session to a step from 0 to the present one, exactly as it stood there, live keys included; what came later is
// forgotten. A context that ends, or an interrupt of the process, leaves it as it is, with an error of kind Interrupted.
func (s Session) Rewind(ctx context.Context, step int) (Status, error) {
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return with(signalled, s, func(c *Client) (Status, error) { return c.Rewind(signalled, s.name, step) })
}

// Fork makes another session with the same past up to a step, −1 for the present one, and returns its handle. Both go on independently.
// A fork is made once: where the program, or a notebook's declarations, run again, take Use(as, Config{}) instead.
func (s Session) Fork(ctx context.Context, as string, step int) (Session, error) {
	_, err := with(ctx, s, func(c *Client) (Status, error) { return c.Fork(ctx, s.name, ForkRequest{As: as, Step: step}) })
	if err != nil {
		return Session{}, err
	}
	return Session{name: as, state: newAttachment(true), link: s.link}, nil
}

// Pause ends a run in progress, begun elsewhere, and returns when it has ended. Without one it does nothing.
func (s Session) Pause(ctx context.Context) (Status, error) {
	return with(ctx, s, func(c *Client) (Status, error) { return c.Pause(ctx, s.name) })
}

// Set changes live keys from the next step on, also during a run, and returns the event it made on the timeline. Keys that are not
// given stay as they are.
func (s Session) Set(ctx context.Context, changes Config) (Event, error) {
	return with(ctx, s, func(c *Client) (Event, error) { return c.Set(ctx, s.name, changes) })
}

// Status is the session at this moment.
func (s Session) Status(ctx context.Context) (Status, error) {
	return with(ctx, s, func(c *Client) (Status, error) { return c.Status(ctx, s.name) })
}

// Selection is the K features that the unique argmax of P chooses now, by falling probability.
func (s Session) Selection(ctx context.Context) (Selection, error) {
	return with(ctx, s, func(c *Client) (Selection, error) { return c.Selection(ctx, s.name) })
}

// Matrix is the selection matrix; the zero request asks for P.
func (s Session) Matrix(ctx context.Context, request MatrixRequest) (Matrix, error) {
	return with(ctx, s, func(c *Client) (Matrix, error) { return c.Matrix(ctx, s.name, request) })
}

// Feature is one feature, by its name or else its 0-based column of the file: its distribution over the training rows, its embedding, its
// probabilities now, and its course in P.
func (s Session) Feature(ctx context.Context, feature string) (Feature, error) {
	return with(ctx, s, func(c *Client) (Feature, error) { return c.Feature(ctx, s.name, feature) })
}

// Rows is the values of the selected features in the training rows. With Test also in the test rows: a look at them, which is counted.
func (s Session) Rows(ctx context.Context, request RowsRequest) (Rows, error) {
	return with(ctx, s, func(c *Client) (Rows, error) { return c.Rows(ctx, s.name, request) })
}

// History is the curves and events so far; the zero request asks for all curves.
func (s Session) History(ctx context.Context, request HistoryRequest) (History, error) {
	return with(ctx, s, func(c *Client) (History, error) { return c.History(ctx, s.name, request) })
}

// Evaluate applies the network to the selected features of the "train", "validation" or "test" rows. Looks at the test rows are counted.
func (s Session) Evaluate(ctx context.Context, part string) (Evaluation, error) {
	return with(ctx, s, func(c *Client) (Evaluation, error) { return c.Evaluate(ctx, s.name, part) })
}

// Watch calls tell with the session as it is now, and again whenever it has changed, at most ten times a second. It returns nil when the
// context has ended, or when the session was closed, which the last update says. tell may use the session.
func (s Session) Watch(ctx context.Context, request WatchRequest, tell func(Update)) error {
	client, err := s.attached(ctx)
	if err != nil {
		return err
	}
	return client.Watch(ctx, s.name, request, tell)
}

// Close ends the session and frees what it holds. A later verb of the handle opens it anew.
func (s Session) Close(ctx context.Context) error {
	client, err := s.connected(ctx)
	if err != nil {
		return err
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = client.Close(ctx, s.name)
	if err == nil {
		s.state.done = false
	}
	return err
}

// Show asks the kernel to draw a view of the session ("matrix", "curves", "selection", …) under the cell that is running. Options, which
// may be nil, are the view's own. Outside a notebook nobody can draw: the host answers that the method is not known.
func (s Session) Show(ctx context.Context, view string, options map[string]any) error {
	params := maps.Clone(options)
	if params == nil {
		params = map[string]any{}
	}
	params["view"], params["session"] = view, s.name
	_, err := with(ctx, s, func(c *Client) (struct{}, error) { return struct{}{}, c.Call(ctx, "view", params, nil) })
	return err
}

// with calls a verb once the handle is attached.
func with[T any](ctx context.Context, s Session, verb func(*Client) (T, error)) (T, error) {
	client, err := s.attached(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return verb(client)
}
