package magic

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// view is what a verb shows of a session: a picture of this moment, a view that stays alive after its cell, or either.
type view struct {
	name  string // by which Go cells ask for it
	draw  drawing
	value func(answer json.RawMessage) (chart.Picture, error) // draws an answer that a Go cell has got already, from its JSON
	start starting
}

type (
	drawing  = func(ctx context.Context, i *Interpreter, h session.Caller, name string, options map[string]any) (chart.Picture, error)
	starting = func(context.Context, *ipywidgets.Manager, session.Caller, session.Status) live
)

// live is a view that stays alive after its cell.
type live interface {
	ipywidgets.Snapshotter
	// Widget is its model in the page.
	Widget() *ipywidgets.Model
	// Status is the session's as the view knows it.
	Status() session.Status
	// Follow makes it show the session from now on, where it does not do so already.
	Follow()
}

// alive is the start of a live view, from the constructor of its package.
func alive[L live](start func(context.Context, *ipywidgets.Manager, session.Caller, session.Status) L) starting {
	return func(ctx context.Context, m *ipywidgets.Manager, c session.Caller, now session.Status) live {
		return start(ctx, m, c, now)
	}
}

// drawn is a view of what the host answers to a verb. The view's options are the verb's parameters.
func drawn[P, R any](name string, verb session.Verb[P, R], draw func(R) (chart.Picture, error)) view {
	return view{name: name, draw: func(ctx context.Context, _ *Interpreter, h session.Caller, session string, options map[string]any) (chart.Picture, error) {
		options["session"] = session
		var request P
		if err := read(options, &request); err != nil {
			return chart.Picture{}, err
		}
		answer, err := verb.Call(ctx, h, request)
		if err != nil {
			return chart.Picture{}, err
		}
		return draw(answer)
	}, value: func(text json.RawMessage) (chart.Picture, error) {
		var answer R
		if err := json.Unmarshal(text, &answer); err != nil {
			return chart.Picture{}, errs.Wrap(err, errs.Request, "give it as the session answered it", "a value to draw")
		}
		return draw(answer)
	}}
}

// with is the view that also stays alive after its cell.
func (v view) with(start starting) view {
	v.start = start
	return v
}

// always is a drawing that never fails.
func always[T any](draw func(T) chart.Picture) func(T) (chart.Picture, error) {
	return func(answer T) (chart.Picture, error) { return draw(answer), nil }
}

// Picture draws what a session answered as the view of that name does, from its JSON.
func Picture(name string, answer json.RawMessage) (chart.Picture, error) {
	v, err := findView(name)
	if err != nil {
		return chart.Picture{}, err
	}
	if v.value == nil {
		return chart.Picture{}, errs.New(errs.Request, "show a value of package session", "no view %q draws a value", name)
	}
	return v.value(answer)
}

// converging draws the history that a picture of the convergence needs.
func converging(ctx context.Context, i *Interpreter, h session.Caller, name string, _ map[string]any) (chart.Picture, error) {
	history, err := session.On(h, name).History(ctx, chart.ConvergenceRequest())
	if err != nil {
		return chart.Picture{}, err
	}
	return chart.Convergence(history, i.palette)
}

// summary draws what a training came to, with what this notebook found of its stability.
func summary(ctx context.Context, i *Interpreter, h session.Caller, name string, options map[string]any) (chart.Picture, error) {
	s := session.On(h, name)
	status, err := s.Status(ctx)
	if err != nil {
		return chart.Picture{}, err
	}
	part := session.Test
	if status.Test == 0 {
		part = session.Train
	}
	evaluation, err := s.Evaluate(ctx, part)
	if err != nil {
		return chart.Picture{}, err
	}
	selected, err := s.Selection(ctx)
	if err != nil {
		return chart.Picture{}, err
	}
	rows, err := s.Rows(ctx, session.RowsRequest{})
	if err != nil {
		return chart.Picture{}, err
	}
	about := chart.About{Stability: i.stabilityOf(name, status.Config)}
	if file, given := options["symbols"].(string); given {
		about.Symbols, err = dataset.ReadSymbols(file, i.options.Directory())
	}
	return chart.Summary(evaluation, selected, rows, about), err
}

// ofRows is a picture of rows that takes no options.
func ofRows(request session.RowsRequest, draw func(session.Rows) (chart.Picture, error)) drawing {
	return func(ctx context.Context, _ *Interpreter, h session.Caller, name string, _ map[string]any) (chart.Picture, error) {
		rows, err := session.On(h, name).Rows(ctx, request)
		if err != nil {
			return chart.Picture{}, err
		}
		return draw(rows)
	}
}

func chosen(list session.Selection) chart.Picture { return chart.Selection(list) }

func ofOption() option {
	return option{name: "of", kind: choice, values: []string{"probability", "sample", "soft"}, standard: "probability",
		about: "which matrix: probability is P, without temperature and noise; sample is M, the concrete sample at temperature τ; soft " +
			"is the softmax at τ, without noise"}
}

// read fills a request from options; what does not fit is the user's to mend.
func read(options map[string]any, request any) error {
	text, err := json.Marshal(options)
	if err == nil {
		err = json.Unmarshal(text, request)
	}
	if err != nil {
		return errs.Wrap(err, errs.Request, "see the documentation of the view's request", "options of the view")
	}
	return nil
}

// showView is the verb of a view: its options arrive as text.
func (r *request) showView(ctx context.Context) error {
	options := map[string]any{}
	for name, text := range r.given {
		switch o, _ := r.verb.option(name); o.kind {
		case number:
			options[name] = r.number(name)
		case truth:
			options[name], _ = strconv.ParseBool(text) // check has seen it
		default:
			options[name] = text
		}
	}
	return r.View(ctx, r.verb.view.name, r.session, options, r.out)
}

// View shows one view of a session: what a Go cell's widgets ask for, and the magics of the same names. options are those of the
// session's request of that view, as JSON has them; live=true asks for the one that stays alive, where there is a picture, too.
func (i *Interpreter) View(ctx context.Context, name, of string, options map[string]any, out Output) error {
	v, err := findView(name)
	if err != nil {
		return err
	}
	alive := v.draw == nil
	options = maps.Clone(options)
	if options == nil {
		options = map[string]any{}
	}
	if value, given := options["live"]; given {
		asked, ok := value.(bool)
		if !ok {
			return errs.New(errs.Request, "give true or false", "live = %v", value)
		}
		alive = alive || asked && v.start != nil
		delete(options, "live")
	}
	if alive {
		return i.showLive(ctx, v, of, options, out)
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	picture, err := v.draw(ctx, i, host, of, options)
	if err != nil {
		return err
	}
	out.Display(picture)
	return nil
}

func findView(name string) (view, error) {
	var known []string
	for _, v := range verbs() {
		switch v.view.name {
		case "":
		case name:
			return v.view, nil
		default:
			known = append(known, v.view.name)
		}
	}
	return view{}, errs.New(errs.Request, phrase.DidYouMean(name, known), "unknown view %q", name)
}

// shownLive is a live view. A session has one of each kind; asked for again, it is shown in another place, too.
type shownLive struct {
	live
	view, session string
	end           context.CancelFunc
}

// mostLive is how many live views there are before those of closed sessions end: each holds a hundred kilobytes, which a page that is
// loaded again gets once more.
const mostLive = 16

func (i *Interpreter) showLive(ctx context.Context, v view, of string, options map[string]any, out Output) error {
	if i.options.Widgets == nil {
		return errs.New(errs.Unavailable, "use it in a notebook", "nothing here can show the view %q", v.name)
	}
	host, err := i.options.Host(ctx)
	if err != nil {
		return err
	}
	now, err := session.On(host, of).Status(ctx)
	if err != nil {
		return err
	}
	if out.Silent() { // its models would be opened in the page, and nobody asked for them
		return nil
	}
	l := i.live(v, of, host, now)
	if err := adjust(l, options); err != nil {
		return err
	}
	l.Follow()
	out.Live(i.options.Widgets.View(l.Widget(), l))
	return nil
}

// live is the live view of a session, started where there is none.
func (i *Interpreter) live(v view, name string, host session.Caller, now session.Status) live {
	i.showing.Lock()
	defer i.showing.Unlock()
	at := slices.IndexFunc(i.lives, func(l shownLive) bool { return l.view == v.name && l.session == name })
	if at >= 0 {
		i.lives = append(i.lives, i.lives[at])
		i.lives = slices.Delete(i.lives, at, at+1)
		return i.lives[len(i.lives)-1].live
	}
	i.endOldest()
	life, end := context.WithCancel(i.options.Life)
	l := v.start(life, i.options.Widgets, host, now)
	i.lives = append(i.lives, shownLive{l, v.name, name, end})
	return l
}

// endOldest makes room for a live view: of those of closed sessions, the one that was shown longest ago ends, and its last picture stays.
// The caller holds the lock.
func (i *Interpreter) endOldest() {
	at := slices.IndexFunc(i.lives, func(l shownLive) bool { return l.Status().State == session.Closed })
	if len(i.lives) < mostLive || at < 0 {
		return
	}
	l := i.lives[at]
	i.lives = slices.Delete(i.lives, at, at+1)
	l.end()
	if last, shown := i.options.Widgets.End(l.Widget()); shown {
		go i.options.Ended(last) // it may be drawn once more
	}
}

// adjust gives the options to a live view that takes some, such as the matrix to begin with.
func adjust(l live, options map[string]any) error {
	a, ok := l.(interface{ Adjust(session.MatrixRequest) })
	if !ok || len(options) == 0 {
		return nil
	}
	var request session.MatrixRequest
	if err := read(options, &request); err != nil {
		return err
	}
	if request.Of != "" {
		if err := ofOption().check(request.Of); err != nil {
			return err
		}
	}
	a.Adjust(request)
	return nil
}

func (r *request) feature(ctx context.Context) error {
	if r.word() == "" {
		return errs.New(errs.Request, "write %fsnet feature "+r.session+" NAME, or the number of its column", "which feature?")
	}
	return r.View(ctx, "feature", r.session, map[string]any{"feature": r.word()}, r.out)
}

// curves draws those of one session, or of several over one another.
func (r *request) curves(ctx context.Context) error {
	if len(r.words) == 0 {
		return r.showView(ctx)
	}
	if len(r.given) > 0 {
		return errs.New(errs.Request, "leave them out, or name one session", "curves of several sessions take no options")
	}
	return ask(ctx, r, func(h session.Caller) (picture chart.Picture, err error) {
		var list []session.History
		var chosen []session.Selection
		for _, name := range append([]string{r.session}, r.words...) {
			one, err := session.On(h, name).History(ctx, session.HistoryRequest{})
			if err != nil {
				return picture, err
			}
			selection, err := session.On(h, name).Selection(ctx)
			if err != nil {
				return picture, err
			}
			list, chosen = append(list, one), append(chosen, selection)
		}
		return chart.Overlay(list, chosen)
	}, r.out.Display)
}

func (r *request) evaluate(ctx context.Context) error {
	return r.View(ctx, "evaluation", r.session, map[string]any{"part": cmp.Or(r.word(), "test")}, r.out)
}
