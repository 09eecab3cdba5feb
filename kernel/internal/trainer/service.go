package trainer

import (
	"context"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Service is the host's verbs, with the host started where it is not running and its death explained.
type Service struct{ link *Link }

var _ session.Service = Service{}

type startless struct{}

// WithoutStart marks a context under which no host is started, and nobody is told how the last one ended: typing must not begin a training
// process, and shows no errors.
func WithoutStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startless{}, true)
}

// Service is the verbs of a host that is started by the first of them.
func (h *Link) Service() Service { return Service{h} }

// ForMagics is the host of an interpreter.
func (h *Link) ForMagics(ctx context.Context) (session.Service, error) {
	if ctx.Value(startless{}) != nil && h.Current() == nil {
		return nil, fault.New(fault.Unavailable, "", "no host is running")
	}
	return Service{h}, nil
}

// ask does a verb, unless there is bad news first: a process that died while nothing was asked of it. Typing is not told: it shows no
// errors.
func ask[T any](ctx context.Context, h *Link, verb func(context.Context, *session.Client) (T, error)) (T, error) {
	var none T
	typing := ctx.Value(startless{}) != nil
	if !typing {
		if err := h.Tell(); err != nil {
			return none, err
		}
	}
	client, err := h.get(ctx)
	if err != nil {
		return none, err
	}
	value, hangs, err := listen(ctx, h, client, verb)
	if err != nil && !hangs {
		var died bool
		if died, err = h.explain(client, err); died && !typing {
			h.wasTold(client)
		}
	}
	return value, err
}

// Open implements session.Service.
func (s Service) Open(ctx context.Context, request session.OpenRequest) (session.Status, error) {
	died := s.link.Tell() // which does not keep a session from being opened
	status, err := ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) { return c.Open(ctx, request) })
	if err != nil {
		s.link.Owe(died)
		return status, err
	}
	s.link.opened(status.Session)
	if died != nil {
		status.Warning = strings.TrimPrefix(status.Warning+"; "+fault.Of(died).What, "; ")
	}
	return status, nil
}

// Step implements session.Service.
func (s Service) Step(ctx context.Context, name string, n int) (session.Status, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) { return c.Step(ctx, name, n) })
}

// Run implements session.Service.
func (s Service) Run(ctx context.Context, name string, until session.Until) (session.Status, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) { return c.Run(ctx, name, until) })
}

// Rewind implements session.Service.
func (s Service) Rewind(ctx context.Context, name string, step int) (session.Status, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) { return c.Rewind(ctx, name, step) })
}

// Fork implements session.Service.
func (s Service) Fork(ctx context.Context, name string, request session.ForkRequest) (session.Status, error) {
	status, err := ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) {
		return c.Fork(ctx, name, request)
	})
	if err == nil {
		s.link.opened(status.Session)
	}
	return status, err
}

// Pause implements session.Service.
func (s Service) Pause(ctx context.Context, name string) (session.Status, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) { return c.Pause(ctx, name) })
}

// Set implements session.Service.
func (s Service) Set(ctx context.Context, name string, changes session.Config) (session.Event, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Event, error) { return c.Set(ctx, name, changes) })
}

// Status implements session.Service.
func (s Service) Status(ctx context.Context, name string) (session.Status, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Status, error) { return c.Status(ctx, name) })
}

// Selection implements session.Service.
func (s Service) Selection(ctx context.Context, name string) ([]session.Selected, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) ([]session.Selected, error) {
		return c.Selection(ctx, name)
	})
}

// Matrix implements session.Service.
func (s Service) Matrix(ctx context.Context, name string, request session.MatrixRequest) (session.Matrix, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Matrix, error) {
		return c.Matrix(ctx, name, request)
	})
}

// Feature implements session.Service.
func (s Service) Feature(ctx context.Context, name, feature string) (session.Feature, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Feature, error) {
		return c.Feature(ctx, name, feature)
	})
}

// Features implements session.Service.
func (s Service) Features(ctx context.Context, name string, request session.FeaturesRequest) ([]string, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) ([]string, error) { return c.Features(ctx, name, request) })
}

// History implements session.Service.
func (s Service) History(ctx context.Context, name string, request session.HistoryRequest) (session.History, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.History, error) {
		return c.History(ctx, name, request)
	})
}

// Evaluate implements session.Service.
func (s Service) Evaluate(ctx context.Context, name, part string) (session.Evaluation, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) (session.Evaluation, error) {
		return c.Evaluate(ctx, name, part)
	})
}

// Watch implements session.Service.
func (s Service) Watch(ctx context.Context, name string, request session.WatchRequest, tell func(session.Update)) error {
	client, err := s.link.get(ctx)
	if err != nil {
		return err
	}
	if err := client.Watch(ctx, name, request, tell); err != nil {
		_, err = s.link.explain(client, err) // to a view: whoever runs a cell is still to be told
		return err
	}
	return nil
}

// Sessions implements session.Service.
func (s Service) Sessions(ctx context.Context) ([]session.Status, error) {
	return ask(ctx, s.link, func(ctx context.Context, c *session.Client) ([]session.Status, error) { return c.Sessions(ctx) })
}

// Close implements session.Service.
func (s Service) Close(ctx context.Context, name string) error {
	_, err := ask(ctx, s.link, func(ctx context.Context, c *session.Client) (struct{}, error) { return struct{}{}, c.Close(ctx, name) })
	if err == nil {
		s.link.closed(name)
	}
	return err
}
