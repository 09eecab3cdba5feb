package session

import (
	"context"
	"time"

	"fsnetlab/fsnet/fault"
)

var _ Service = (*Client)(nil)

// Open implements [Service].
func (c *Client) Open(ctx context.Context, request OpenRequest) (Status, error) {
	return ask[Status](ctx, c, "open", request)
}

// Step implements [Service].
func (c *Client) Step(ctx context.Context, name string, n int) (Status, error) {
	return c.advance(ctx, name, "step", StepParams{name, n})
}

// Run implements [Service].
func (c *Client) Run(ctx context.Context, name string, until Until) (Status, error) {
	return c.advance(ctx, name, "run", RunParams{name, until})
}

// Rewind implements [Service].
func (c *Client) Rewind(ctx context.Context, name string, step int) (Status, error) {
	if ctx.Err() != nil {
		return Status{}, interrupted(ctx, "rewind")
	}
	return c.advance(ctx, name, "rewind", RewindParams{name, &step})
}

// Fork implements [Service]. A context that ends leaves the fork to be finished at the other end.
func (c *Client) Fork(ctx context.Context, name string, request ForkRequest) (Status, error) {
	params := ForkParams{Session: name, As: request.As, Replace: request.Replace}
	if request.Step != -1 {
		params.Step = &request.Step
	}
	return ask[Status](ctx, c, "fork", params)
}

// Pause implements [Service].
func (c *Client) Pause(ctx context.Context, name string) (Status, error) {
	return ask[Status](ctx, c, "pause", NameParams{name})
}

// Set implements [Service].
func (c *Client) Set(ctx context.Context, name string, changes Config) (Event, error) {
	return ask[Event](ctx, c, "set", SetParams{name, changes})
}

// Status implements [Service].
func (c *Client) Status(ctx context.Context, name string) (Status, error) {
	return ask[Status](ctx, c, "status", NameParams{name})
}

// Selection implements [Service].
func (c *Client) Selection(ctx context.Context, name string) ([]Selected, error) {
	return ask[[]Selected](ctx, c, "selection", NameParams{name})
}

// Matrix implements [Service].
func (c *Client) Matrix(ctx context.Context, name string, request MatrixRequest) (Matrix, error) {
	return ask[Matrix](ctx, c, "matrix", MatrixParams{name, request})
}

// Feature implements [Service].
func (c *Client) Feature(ctx context.Context, name, feature string) (Feature, error) {
	return ask[Feature](ctx, c, "feature", FeatureParams{name, Which(feature)})
}

// Features implements [Service].
func (c *Client) Features(ctx context.Context, name string, request FeaturesRequest) ([]string, error) {
	return ask[[]string](ctx, c, "features", FeaturesParams{name, request})
}

// History implements [Service].
func (c *Client) History(ctx context.Context, name string, request HistoryRequest) (History, error) {
	return ask[History](ctx, c, "history", HistoryParams{name, request})
}

// Evaluate implements [Service].
func (c *Client) Evaluate(ctx context.Context, name, part string) (Evaluation, error) {
	return ask[Evaluation](ctx, c, "evaluate", EvaluateParams{name, part})
}

// Sessions implements [Service].
func (c *Client) Sessions(ctx context.Context) ([]Status, error) {
	return ask[[]Status](ctx, c, "sessions", struct{}{})
}

// Close implements [Service].
func (c *Client) Close(ctx context.Context, name string) error {
	return c.Call(ctx, "close", NameParams{name}, nil)
}

func ask[T any](ctx context.Context, c *Client, method string, params any) (result T, err error) {
	err = c.Call(ctx, method, params, &result)
	return result, err
}

// The other end pauses within a chunk of 100 ms, or one step where that is longer. GoNB alone would kill an interrupted cell after 5 s,
// so waiting ends before.
const (
	pauseAgain = 200 * time.Millisecond
	pauseLimit = 4 * time.Second
)

// advance is step, run or rewind: a context that ends pauses the session, and the status says where.
func (c *Client) advance(ctx context.Context, name, method string, params any) (status Status, err error) {
	if ctx.Err() != nil {
		return c.Status(context.WithoutCancel(ctx), name)
	}
	answers, err := c.send(method, params)
	if err != nil {
		return status, err
	}
	select {
	case a := <-answers:
		err = a.decode(method, &status)
		return status, err
	case <-ctx.Done():
	}
	// A pause that overtakes its run finds nothing to pause: it is sent again until the run answers.
	again := time.NewTicker(pauseAgain)
	defer again.Stop()
	limit := time.NewTimer(pauseLimit)
	defer limit.Stop()
	for {
		if _, err := c.send("pause", NameParams{name}); err != nil {
			return status, err
		}
		select {
		case a := <-answers:
			err = a.decode(method, &status)
			return status, err
		case <-again.C:
		case <-limit.C:
			return status, fault.New(fault.Interrupted, "ask for its status later", "session %q was told to pause and has not answered for %s", name, pauseLimit)
		}
	}
}
