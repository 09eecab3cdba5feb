package magic

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/nearest"
	"fsnetlab/widgets/chart"
)

// View shows one view of a session: what a Go cell's widgets ask for, and the magics of the same names. options are those of the
// session's request of that view, as JSON has them.
func (i *Interpreter) View(ctx context.Context, view, name string, options map[string]any, out Output) error {
	alive, options, err := takeLive(options)
	if err != nil {
		return err
	}
	draw, ok := views()[view]
	if start, can := liveViews()[view]; can && (alive || !ok) {
		return i.showLive(ctx, view, name, options, start, out)
	}
	if !ok {
		known := slices.Concat(slices.Collect(maps.Keys(views())), slices.Collect(maps.Keys(liveViews())))
		slices.Sort(known)
		known = slices.Compact(known)
		return fault.New(fault.Request, nearest.DidYouMean(view, known), "unknown view %q", view)
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	picture, err := draw(ctx, host, name, options)
	if err != nil {
		return err
	}
	out.Display(picture)
	return nil
}

func views() map[string]func(context.Context, session.Service, string, map[string]any) (chart.Picture, error) {
	return map[string]func(context.Context, session.Service, string, map[string]any) (chart.Picture, error){
		"matrix": func(ctx context.Context, h session.Service, name string, options map[string]any) (chart.Picture, error) {
			var request session.MatrixRequest
			if err := read(options, &request); err != nil {
				return chart.Picture{}, err
			}
			m, err := h.Matrix(ctx, name, request)
			if err != nil {
				return chart.Picture{}, err
			}
			return chart.Matrix(m)
		},
		"feature": func(ctx context.Context, h session.Service, name string, options map[string]any) (chart.Picture, error) {
			var request struct {
				Feature session.Which `json:"feature"`
			}
			if err := read(options, &request); err != nil {
				return chart.Picture{}, err
			}
			feature, err := h.Feature(ctx, name, string(request.Feature))
			if err != nil {
				return chart.Picture{}, err
			}
			return chart.Feature(feature)
		},
		"curves": func(ctx context.Context, h session.Service, name string, options map[string]any) (chart.Picture, error) {
			var request session.HistoryRequest
			if err := read(options, &request); err != nil {
				return chart.Picture{}, err
			}
			history, err := h.History(ctx, name, request)
			if err != nil {
				return chart.Picture{}, err
			}
			return chart.Curves(history)
		},
		"selection": func(ctx context.Context, h session.Service, name string, _ map[string]any) (chart.Picture, error) {
			selected, err := h.Selection(ctx, name)
			if err != nil {
				return chart.Picture{}, err
			}
			return chart.Selection(selected), nil
		},
		"evaluation": func(ctx context.Context, h session.Service, name string, options map[string]any) (chart.Picture, error) {
			var request struct {
				Part string `json:"part"`
			}
			if err := read(options, &request); err != nil {
				return chart.Picture{}, err
			}
			evaluation, err := h.Evaluate(ctx, name, request.Part)
			if err != nil {
				return chart.Picture{}, err
			}
			return chart.Evaluation(evaluation), nil
		},
		"status": func(ctx context.Context, h session.Service, name string, _ map[string]any) (chart.Picture, error) {
			status, err := h.Status(ctx, name)
			if err != nil {
				return chart.Picture{}, err
			}
			return chart.Status(status), nil
		},
	}
}

// read fills a request from options; what does not fit is the user's to mend.
func read(options map[string]any, request any) error {
	if len(options) == 0 {
		return nil
	}
	text, err := json.Marshal(options)
	if err == nil {
		err = json.Unmarshal(text, request)
	}
	if err != nil {
		return fault.Wrap(err, fault.Request, "see the documentation of the view's request", "options of the view")
	}
	return nil
}

// viewVerb is the magic of a view: its numbers arrive as text.
func viewVerb(view string) func(*Interpreter, context.Context, request) error {
	return func(i *Interpreter, ctx context.Context, r request) error {
		if err := r.none(view); err != nil {
			return err
		}
		options := map[string]any{}
		for _, key := range []string{"top", "from", "points", "step"} {
			if _, ok := r.options[key]; !ok {
				continue
			}
			n, err := r.number(key, 0)
			if err != nil {
				return err
			}
			options[key] = n
		}
		if _, ok := r.options["live"]; ok {
			alive, err := r.yes("live", false)
			if err != nil {
				return err
			}
			options["live"] = alive
		}
		if of, ok := r.options["of"]; ok {
			options["of"] = of
		}
		return i.View(ctx, view, r.session, options, r.out)
	}
}
