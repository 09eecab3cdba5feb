package magic

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"fsnetlab/fsnet/errs/boundary"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/views"
)

// Output is the cell that asked. Every method publishes under it.
type Output interface {
	Display(p chart.Picture)           // display_data
	Update(id string, p chart.Picture) // display_data with this id, later update_display_data
	Result(p chart.Picture)            // execute_result
	Page(p chart.Picture)              // the pager of a console; below the cell elsewhere
	Clear(wait bool)                   // clear_output
	Live(v ipywidgets.View)            // display_data of a widget
	Silent() bool                      // nobody sees what is shown: nothing need be made for it
}

// Options are what an Interpreter works with. All are required, but Life and Widgets where no view is to be alive, Programs and
// Log.
type Options struct {
	Life      context.Context                                   // of the views that stay alive after their cell
	Widgets   *ipywidgets.Manager                               // shows them
	Ended     func(ipywidgets.Shown)                            // takes those that end before the rest
	Host      func(ctx context.Context) (session.Caller, error) // starts it where it is not running
	Directory func() string                                     // where relative paths start now
	Version   string                                            // for the verb of that name
	Doctor    func(ctx context.Context) (report string)         // for the verb of that name
	NewID     func() string                                     // for displays that are updated
	Programs  []Program                                         // verbs of the command line
	Log       *slog.Logger                                      // nil is the default one
}

// Interpreter runs commands. It may be used from several goroutines.
type Interpreter struct {
	options Options
	program string         // whose verbs the programs are; "" is this one
	palette *chart.Palette // of the notebook

	mu          sync.Mutex
	last        string                    // session
	stabilities map[string]foundStability // by session

	showing sync.Mutex
	lives   []shownLive // the one shown last is the last one
}

// New makes an interpreter that has used no session yet.
func New(o Options) *Interpreter {
	o.Log = cmp.Or(o.Log, slog.Default())
	return &Interpreter{options: o, palette: views.Palette(o.Widgets), stabilities: map[string]foundStability{}}
}

// Run runs one command. A context that ends pauses a step or run in progress, which is no error.
func (i *Interpreter) Run(ctx context.Context, c Command, out Output) error {
	if word, asked := c.question(); asked {
		return i.answer(word, c.Verb, out)
	}
	v, err := i.findVerb(c.Verb)
	if err != nil {
		return err
	}
	r, err := i.understand(v, c)
	if err != nil {
		return err
	}
	r.out = out
	run := v.run
	if run == nil {
		run = (*request).showView
	}
	if err := boundary.Do(i.options.Log, prefix+" "+v.name, func() error { return run(r, ctx) }); err != nil {
		return r.explained(err)
	}
	if v.session {
		i.Use(r.session)
	}
	return nil
}

// Current is the session used last, or "".
func (i *Interpreter) Current() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last
}

// Use makes a session the one used last, and wakes the live views of it, which may have been opened again.
func (i *Interpreter) Use(name string) {
	i.mu.Lock()
	i.last = name
	i.mu.Unlock()
	i.showing.Lock()
	defer i.showing.Unlock()
	for _, l := range i.lives {
		if l.session == name {
			l.Follow()
		}
	}
}
