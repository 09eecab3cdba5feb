package trainer

import (
	"context"
	"encoding/json"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

var _ session.Caller = (*Link)(nil)

type startless struct{}

// WithoutStart marks a context under which no host is started, and nobody is told how the last one ended: typing must not begin a training
// process, and shows no errors.
func WithoutStart(ctx context.Context) context.Context {
	return context.WithValue(ctx, startless{}, true)
}

// ForMagics is the host of an interpreter.
func (h *Link) ForMagics(ctx context.Context) (session.Caller, error) {
	if ctx.Value(startless{}) != nil && h.Current() == nil {
		return nil, fault.New(fault.Unavailable, "", "no host is running")
	}
	return h, nil
}

// Forward passes a request on as it came.
func (h *Link) Forward(ctx context.Context, method string, params json.RawMessage) (result json.RawMessage, err error) {
	err = h.Call(ctx, method, params, &result)
	return result, err
}

// Call passes a request on to the host, which is started where it is not running, and whose death is explained. Where there is bad news, of
// a process that died while nothing was asked of it, that is the answer. It does not keep a session from being opened: the status says it.
func (h *Link) Call(ctx context.Context, method string, params, result any) error {
	var died error
	typing := ctx.Value(startless{}) != nil
	if !typing {
		died = h.TakeNotice()
	}
	if died != nil && method != string(session.VerbOpen) {
		return died
	}
	if err := h.call(ctx, typing, method, params, result); err != nil {
		h.KeepNotice(died)
		if method == string(session.VerbClose) && fault.Is(err, fault.Failed) { // it is, without its last checkpoint
			h.closed(params.(session.NameRequest).Session)
		}
		return err
	}
	switch method {
	case string(session.VerbOpen), string(session.VerbFork):
		status := result.(*session.Status)
		h.opened(status.Session)
		if died != nil {
			status.Warning = strings.TrimPrefix(status.Warning+"; "+fault.Of(died).What, "; ")
		}
	case string(session.VerbClose):
		h.closed(params.(session.NameRequest).Session)
	}
	return nil
}

func (h *Link) call(ctx context.Context, typing bool, method string, params, result any) error {
	client, err := h.get(ctx)
	if err != nil {
		return err
	}
	hangs, err := h.listen(ctx, client, method, params, result)
	if err == nil || hangs {
		return err
	}
	died, err := h.explain(client, err)
	if died && !typing {
		h.noticed(client)
	}
	return err
}

// Watch implements session.Caller. How the host died is told to a view: the user who runs a cell is still to be told.
func (h *Link) Watch(ctx context.Context, request session.WatchRequest, tell func(session.Update)) error {
	client, err := h.get(ctx)
	if err != nil {
		return err
	}
	if err = client.Watch(ctx, request, tell); err != nil {
		_, err = h.explain(client, err)
	}
	return err
}
