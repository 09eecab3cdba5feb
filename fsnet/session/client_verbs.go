package session

import "context"

// Caller takes requests by their method: a connection, or what stands in front of one and adds something on the way. params and result
// are the types of the method; a nil result is dropped.
type Caller interface {
	Call(ctx context.Context, method string, params, result any) error
	// Watch is that of [Service].
	Watch(ctx context.Context, name string, request WatchRequest, tell func(Update)) error
}

// Verbs are the verbs of all sessions, as calls of a Caller.
type Verbs struct{ Caller }

var _ Service = Verbs{}

// Open implements [Service].
func (v Verbs) Open(ctx context.Context, request OpenRequest) (Status, error) {
	return ask[Status](ctx, v, "open", request)
}

// Step implements [Service].
func (v Verbs) Step(ctx context.Context, name string, n int) (Status, error) {
	return ask[Status](ctx, v, "step", StepParams{name, n})
}

// Run implements [Service].
func (v Verbs) Run(ctx context.Context, name string, until Until) (Status, error) {
	return ask[Status](ctx, v, "run", RunParams{name, until})
}

// Rewind implements [Service].
func (v Verbs) Rewind(ctx context.Context, name string, step int) (Status, error) {
	return ask[Status](ctx, v, "rewind", RewindParams{name, &step})
}

// Fork implements [Service]. A context that ends leaves the fork to be finished at the other end.
func (v Verbs) Fork(ctx context.Context, name string, request ForkRequest) (Status, error) {
	params := ForkParams{Session: name, As: request.As, Replace: request.Replace}
	if request.Step != -1 {
		params.Step = &request.Step
	}
	return ask[Status](ctx, v, "fork", params)
}

// Pause implements [Service].
func (v Verbs) Pause(ctx context.Context, name string) (Status, error) {
	return ask[Status](ctx, v, "pause", NameParams{name})
}

// Set implements [Service].
func (v Verbs) Set(ctx context.Context, name string, changes Config) (Event, error) {
	return ask[Event](ctx, v, "set", SetParams{name, changes})
}

// Status implements [Service].
func (v Verbs) Status(ctx context.Context, name string) (Status, error) {
	return ask[Status](ctx, v, "status", NameParams{name})
}

// Selection implements [Service].
func (v Verbs) Selection(ctx context.Context, name string) ([]Selected, error) {
	return ask[[]Selected](ctx, v, "selection", NameParams{name})
}

// Matrix implements [Service].
func (v Verbs) Matrix(ctx context.Context, name string, request MatrixRequest) (Matrix, error) {
	return ask[Matrix](ctx, v, "matrix", MatrixParams{name, request})
}

// Feature implements [Service].
func (v Verbs) Feature(ctx context.Context, name, feature string) (Feature, error) {
	return ask[Feature](ctx, v, "feature", FeatureParams{name, Which(feature)})
}

// Features implements [Service].
func (v Verbs) Features(ctx context.Context, name string, request FeaturesRequest) ([]string, error) {
	return ask[[]string](ctx, v, "features", FeaturesParams{name, request})
}

// Rows implements [Service].
func (v Verbs) Rows(ctx context.Context, name string, request RowsRequest) (Rows, error) {
	return ask[Rows](ctx, v, "rows", RowsParams{name, request})
}

// History implements [Service].
func (v Verbs) History(ctx context.Context, name string, request HistoryRequest) (History, error) {
	return ask[History](ctx, v, "history", HistoryParams{name, request})
}

// Evaluate implements [Service].
func (v Verbs) Evaluate(ctx context.Context, name, part string) (Evaluation, error) {
	return ask[Evaluation](ctx, v, "evaluate", EvaluateParams{name, part})
}

// Sessions implements [Service].
func (v Verbs) Sessions(ctx context.Context) ([]Status, error) {
	return ask[[]Status](ctx, v, "sessions", struct{}{})
}

// Close implements [Service].
func (v Verbs) Close(ctx context.Context, name string) error {
	return v.Call(ctx, "close", NameParams{name}, nil)
}

func ask[T any](ctx context.Context, c Caller, method string, params any) (result T, err error) {
	err = c.Call(ctx, method, params, &result)
	return result, err
}

// advancing names the session that a request advances or takes back; "" where it does neither.
func advancing(params any) string {
	switch p := params.(type) {
	case StepParams:
		return p.Session
	case RunParams:
		return p.Session
	case RewindParams:
		return p.Session
	}
	return ""
}
