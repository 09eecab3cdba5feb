package magic

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/views"
)

// view is a display of a session: a picture of the current state, a live view
// that outlives its cell, or either.
type view struct {
	name string  // as requests of Go cells call it
	draw drawing // nil if the view is always live
	// Decode draws an answer that a Go cell already has. It is nil if the view
	// can't.
	decode func(answer json.RawMessage) (chart.Picture, error)
	start  starter // nil if the view is never live
}

type (
	drawing = func(ctx context.Context, i *Interpreter, host session.Caller, request session.ViewRequest) (chart.Picture, error)
	starter = func(context.Context, *ipywidgets.Manager, session.Caller, session.Status) live
)

// live is a view that outlives its cell.
type live interface {
	ipywidgets.Snapshotter
	// Widget returns the view's model in the page.
	Widget() *ipywidgets.Model
	// Status returns the session's status as the view knows it.
	Status() session.Status
	// Follow makes the view follow the session, unless it already does.
	Follow()
	// Adjust makes a matrix show what the request asks for. Other views ignore
	// it.
	Adjust(request session.MatrixRequest)
}

// starterOf adapts the constructor of a live view.
func starterOf(start func(context.Context, *ipywidgets.Manager, session.Caller, session.Status) *views.View) starter {
	return func(ctx context.Context, m *ipywidgets.Manager, c session.Caller, now session.Status) live {
		return start(ctx, m, c, now)
	}
}

// answerView returns the view that draws the answer to one verb. It asks the
// session, or decodes an answer that a Go cell has. params returns the verb's
// parameters from the view's request.
func answerView[P, R any](name string, verb session.Verb[P, R], params func(session.ViewRequest) P, draw func(R) (chart.Picture, error)) view {
	return view{name: name, draw: func(ctx context.Context, _ *Interpreter, host session.Caller, r session.ViewRequest) (chart.Picture, error) {
		answer, err := verb.Call(ctx, host, params(r))
		if err != nil {
			return chart.Picture{}, err
		}
		return draw(answer)
	}, decode: func(text json.RawMessage) (chart.Picture, error) {
		var answer R
		if err := json.Unmarshal(text, &answer); err != nil {
			return chart.Picture{}, errs.Wrap(err, errs.Request, "give it as the session answered it", "a value to draw")
		}
		return draw(answer)
	}}
}

func nameParams(r session.ViewRequest) session.NameRequest {
	return session.NameRequest{Session: r.Session}
}

func matrixParams(r session.ViewRequest) session.MatrixRequest {
	return session.MatrixRequest{Session: r.Session, Of: r.Of, Top: r.Top, Step: r.Step}
}

func historyParams(r session.ViewRequest) session.HistoryRequest {
	return session.HistoryRequest{Session: r.Session, Metrics: r.Metrics, From: r.From, Points: r.Points, Smooth: r.Smooth}
}

func rowsParams(r session.ViewRequest) session.RowsRequest {
	return session.RowsRequest{Session: r.Session, Test: r.Test}
}

func featureParams(r session.ViewRequest) session.FeatureRequest {
	return session.FeatureRequest{Session: r.Session, Feature: r.Feature}
}

func evaluateParams(r session.ViewRequest) session.EvaluateRequest {
	return session.EvaluateRequest{Session: r.Session, Part: r.Part}
}

// withLive returns the view with a live form.
func (v view) withLive(start starter) view {
	v.start = start
	return v
}

// infallible adapts a drawing that returns no error.
func infallible[T any](draw func(T) chart.Picture) func(T) (chart.Picture, error) {
	return func(answer T) (chart.Picture, error) { return draw(answer), nil }
}

// Picture draws the JSON of a session's answer as the named view.
func Picture(name string, answer json.RawMessage) (chart.Picture, error) {
	v, err := findView(name)
	if err != nil {
		return chart.Picture{}, err
	}
	if v.decode == nil {
		return chart.Picture{}, errs.New(errs.Request, "show a value of package session", "no view %q draws a value", name)
	}
	return v.decode(answer)
}

// drawConvergence draws how the selection formed, from the session's history.
func drawConvergence(ctx context.Context, i *Interpreter, host session.Caller, r session.ViewRequest) (chart.Picture, error) {
	history, err := session.On(host, r.Session).History(ctx, chart.ConvergenceRequest())
	if err != nil {
		return chart.Picture{}, err
	}
	return chart.Convergence(history, i.palette)
}

// selectionView returns the view of a selection. If the training isn't over,
// the first line says how far it has come: a request for rows answers both at
// one step. A Go cell that shows only a selection doesn't get this line.
func selectionView() view {
	v := answerView("selection", session.VerbSelection, nameParams, func(s session.Selection) (chart.Picture, error) {
		return chart.Selection(s), nil
	})
	v.draw = rowsDrawing(session.RowsRequest{}, func(rows session.Rows) (chart.Picture, error) {
		picture := chart.Selection(rows.Selection)
		if rows.Unfinished != "" {
			picture = picture.Below(rows.Unfinished)
		}
		return picture, nil
	})
	return v
}

// drawSummary draws the outcome of a training, with this notebook's stability
// result for it. It evaluates the test rows, or the training rows if there are
// no test rows.
func drawSummary(ctx context.Context, i *Interpreter, host session.Caller, r session.ViewRequest) (chart.Picture, error) {
	s := session.On(host, r.Session)
	status, err := s.Status(ctx)
	if err != nil {
		return chart.Picture{}, err
	}

	part := session.Test
	if status.Test == 0 {
		part = session.Train
	}

	rows, err := s.Rows(ctx, session.RowsRequest{Evaluate: []string{part}})
	if err != nil {
		return chart.Picture{}, err
	}

	about := chart.About{Stability: i.stabilityOf(status)}
	if r.Symbols != "" {
		about.Symbols, err = dataset.ReadSymbols(r.Symbols, i.options.Directory())
	}
	return chart.Summary(rows.Evaluations[0], rows.Selection, rows, about), err
}

// rowsDrawing returns a drawing of rows that has no options.
func rowsDrawing(request session.RowsRequest, draw func(session.Rows) (chart.Picture, error)) drawing {
	return func(ctx context.Context, _ *Interpreter, host session.Caller, r session.ViewRequest) (chart.Picture, error) {
		rows, err := session.On(host, r.Session).Rows(ctx, request)
		if err != nil {
			return chart.Picture{}, err
		}
		return draw(rows)
	}
}

// showView runs a verb that only shows its view.
func (r *request) showView(ctx context.Context) error {
	return r.View(ctx, session.ViewRequest{
		View: r.verb.view.name, Session: r.session, Live: r.flag("live"),
		Of: r.values["of"], Top: r.number("top"), Step: r.optionalNumber("step"),
		From: r.number("from"), Points: r.number("points"), Smooth: r.optionalNumber("smooth"),
		Test: r.flag("test"), Symbols: r.values["symbols"],
	}, r.out)
}

// showCurves shows the curves of one session, or one of them.
func (r *request) showCurves(ctx context.Context, measure string) error {
	request := session.ViewRequest{View: r.verb.view.name, Session: r.session, From: r.number("from"), Points: r.number("points"),
		Smooth: r.optionalNumber("smooth")}
	if measure != "" {
		request.Metrics = []string{measure}
	}
	return r.View(ctx, request, r.out)
}

// View shows a view of a session, for a Go cell's widgets and for the verbs of the same names. The
// view is live if it has no other form, or if the request asks for that.
func (i *Interpreter) View(ctx context.Context, request session.ViewRequest, out Output) error {
	v, err := findView(request.View)
	if err != nil {
		return err
	}

	if v.draw == nil || request.Live && v.start != nil {
		return i.showLive(ctx, v, request, out)
	}

	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}

	picture, err := v.draw(ctx, i, host, request)
	if err != nil {
		return err
	}

	out.Display(picture)
	return nil
}

// findView returns the view of a name. The error suggests a similar name, or
// lists all.
func findView(name string) (view, error) {
	var names []string
	for _, v := range verbs() {
		switch v.view.name {
		case "":
		case name:
			return v.view, nil
		default:
			names = append(names, v.view.name)
		}
	}
	return view{}, errs.New(errs.Request, phrase.DidYouMean(name, names), "unknown view %q", name)
}

// liveEntry is an existing live view. A session has at most one of each kind.
// If you ask for it again, it appears in another place as well.
type liveEntry struct {
	live
	view, session string
	end           context.CancelFunc
}

// maxLive is the number of live views at which views of closed sessions start
// to end. Each view holds about 100 kB, and a reloaded page receives them
// again.
const maxLive = 16

// showLive shows a live view in the cell. A session's second view of a kind is
// the first one in another place. showLive fails if there are no widgets, and
// shows nothing if the output is silent.
func (i *Interpreter) showLive(ctx context.Context, v view, request session.ViewRequest, out Output) error {
	if i.options.Widgets == nil {
		return errs.New(errs.Unavailable, "use it in a notebook", "nothing here can show the view %q", v.name)
	}

	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}

	now, err := session.On(host, request.Session).Status(ctx)
	if err != nil {
		return err
	}

	if out.Silent() { // the page would open models that it doesn't show
		return nil
	}

	l := i.findLive(v, host, now)
	if request.Of != "" || request.Top != 0 || request.Step != nil {
		matrix := matrixParams(request)
		if err := matrix.Check(); err != nil {
			return err
		}
		l.Adjust(matrix)
	}

	l.Follow()
	out.Live(i.options.Widgets.View(l.Widget(), l))
	return nil
}

// findLive returns the live view of a session, starting it if necessary, and
// moves it to the end of the list.
func (i *Interpreter) findLive(v view, host session.Caller, now session.Status) live {
	i.showing.Lock()
	defer i.showing.Unlock()

	at := slices.IndexFunc(i.lives, func(l liveEntry) bool { return l.view == v.name && l.session == now.Session })
	if at >= 0 {
		entry := i.lives[at]
		i.lives = append(slices.Delete(i.lives, at, at+1), entry)
		return entry.live
	}

	i.endOldest()
	life, end := context.WithCancel(i.options.Life)
	l := v.start(life, i.options.Widgets, host, now)
	i.lives = append(i.lives, liveEntry{l, v.name, now.Session, end})

	return l
}

// endOldest makes room for a live view. Among the views of closed sessions, it
// ends the one that was shown longest ago. Its last picture stays. The caller
// must hold the lock.
func (i *Interpreter) endOldest() {
	index := slices.IndexFunc(i.lives, func(l liveEntry) bool { return l.Status().State == session.Closed })
	if len(i.lives) < maxLive || index < 0 {
		return
	}

	l := i.lives[index]
	i.lives = slices.Delete(i.lives, index, index+1)
	l.end()
	if last, shown := i.options.Widgets.End(l.Widget()); shown {
		go i.options.Ended(last) // it may be redrawn once
	}
}

// checkFeature rejects a line that names no feature.
func (r *request) checkFeature() error {
	if r.argument() == "" {
		return errs.New(errs.Request, "write %fsnet feature "+r.session+" NAME, or the number of its column", "which feature?")
	}
	return nil
}

// feature shows the feature that the line names by its name or column.
func (r *request) feature(ctx context.Context) error {
	return r.View(ctx, session.ViewRequest{View: "feature", Session: r.session, Feature: session.Which(r.argument())}, r.out)
}

// curves draws the curves of one session, or of several in one chart. A metric
// as the last word is the one to draw.
func (r *request) curves(ctx context.Context) error {
	measure := ""
	if last := len(r.words) - 1; last >= 0 && slices.Contains(session.Metrics(), r.words[last]) && !slices.Contains(r.openSessions(ctx), r.words[last]) {
		measure, r.words = r.words[last], r.words[:last]
	}
	if len(r.words) == 0 {
		return r.showCurves(ctx, measure)
	}
	if len(r.values) > 0 {
		return errs.New(errs.Request, "leave them out, or name one session", "curves of several sessions take no options")
	}

	return ask(ctx, r, func(host session.Caller) (picture chart.Picture, err error) {
		compared, err := views.Compare(ctx, host, append([]string{r.session}, r.words...))
		if err != nil {
			return picture, err
		}
		return chart.Overlay(compared, measure)
	}, r.out.Display)
}

func (r *request) evaluate(ctx context.Context) error {
	return r.View(ctx, session.ViewRequest{View: "evaluation", Session: r.session, Part: cmp.Or(r.argument(), session.Test)}, r.out)
}
