package kernel

import (
	"context"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// service is the host's verbs, with the host started where it is not running and its death explained.
type service struct{ link *hostLink }

var _ session.Service = service{}

type startless struct{}

// withoutStart marks a context under which no host is started: typing must not begin a training process.
func withoutStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startless{}, true)
}

// forMagics is the host of an interpreter.
func (h *hostLink) forMagics(ctx context.Context) (session.Service, error) {
	if ctx.Value(startless{}) != nil && h.current() == nil {
		return nil, fault.New(fault.Unavailable, "", "no host is running")
	}
	return service{h}, nil
}

func ask[T any](ctx context.Context, h *hostLink, verb func(*session.Client) (T, error)) (T, error) {
	client, err := h.get(ctx)
	if err != nil {
		var none T
		return none, err
	}
	value, err := verb(client)
	if err != nil {
		return value, h.explain(client, err)
	}
	return value, nil
}

// Open implements session.Service.
func (s service) Open(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	status, err := ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Open(ctx, request) })
	if err == nil {
		s.link.opened(status.Session)
	}
	return status, err
}

// Step implements session.Service.
func (s service) Step(ctx context.Context, name string, n int) (session.Status, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Step(ctx, name, n) })
}

// Run implements session.Service.
func (s service) Run(ctx context.Context, name string, until session.Until) (session.Status, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Run(ctx, name, until) })
}

// Rewind implements session.Service.
func (s service) Rewind(ctx context.Context, name string, step int) (session.Status, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Rewind(ctx, name, step) })
}

// Fork implements session.Service.
func (s service) Fork(ctx context.Context, name string, request session.ForkRequest) (session.Status, error) {
	status, err := ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Fork(ctx, name, request) })
	if err == nil {
		s.link.opened(status.Session)
	}
	return status, err
}

// Pause implements session.Service.
func (s service) Pause(ctx context.Context, name string) (session.Status, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Pause(ctx, name) })
}

// Set implements session.Service.
func (s service) Set(ctx context.Context, name string, changes session.Config) (session.Event, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Event, error) { return c.Set(ctx, name, changes) })
}

// Status implements session.Service.
func (s service) Status(ctx context.Context, name string) (session.Status, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Status, error) { return c.Status(ctx, name) })
}

// Selection implements session.Service.
func (s service) Selection(ctx context.Context, name string) ([]session.Selected, error) {
	return ask(ctx, s.link, func(c *session.Client) ([]session.Selected, error) { return c.Selection(ctx, name) })
}

// Matrix implements session.Service.
func (s service) Matrix(ctx context.Context, name string, request session.MatrixRequest) (session.Matrix, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Matrix, error) { return c.Matrix(ctx, name, request) })
}

// Feature implements session.Service.
func (s service) Feature(ctx context.Context, name, feature string) (session.Feature, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Feature, error) { return c.Feature(ctx, name, feature) })
}

// History implements session.Service.
func (s service) History(ctx context.Context, name string, request session.HistoryRequest) (session.History, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.History, error) { return c.History(ctx, name, request) })
}

// Evaluate implements session.Service.
func (s service) Evaluate(ctx context.Context, name, part string) (session.Evaluation, error) {
	return ask(ctx, s.link, func(c *session.Client) (session.Evaluation, error) { return c.Evaluate(ctx, name, part) })
}

// Watch implements session.Service.
func (s service) Watch(ctx context.Context, name string, request session.WatchRequest, tell func(session.Update)) error {
	_, err := ask(ctx, s.link, func(c *session.Client) (struct{}, error) { return struct{}{}, c.Watch(ctx, name, request, tell) })
	return err
}

// Sessions implements session.Service.
func (s service) Sessions(ctx context.Context) ([]session.Status, error) {
	return ask(ctx, s.link, func(c *session.Client) ([]session.Status, error) { return c.Sessions(ctx) })
}

// Close implements session.Service.
func (s service) Close(ctx context.Context, name string) error {
	_, err := ask(ctx, s.link, func(c *session.Client) (struct{}, error) { return struct{}{}, c.Close(ctx, name) })
	if err == nil {
		s.link.closed(name)
	}
	return err
}
