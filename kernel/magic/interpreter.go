package magic

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/views"
)

// Output shows results in the cell that ran the command.
type Output interface {
	Display(p chart.Picture)           // display_data
	Update(id string, p chart.Picture) // display_data with this id, later update_display_data
	Result(p chart.Picture)            // execute_result
	Page(p chart.Picture)              // in a console the pager, elsewhere below the cell
	Clear(wait bool)                   // clear_output
	Live(v ipywidgets.View)            // display_data of a widget
	Silent() bool                      // output isn't shown, so you needn't draw pictures
}

// Options are the options of New. All are required, except Programs and Log,
// and Life and Widgets if there are no live views.
type Options struct {
	Life      context.Context                                   // context of the live views, which outlive their cell
	Widgets   *ipywidgets.Manager                               // shows the live views
	Ended     func(ipywidgets.Shown)                            // receives live views that end early
	Host      func(ctx context.Context) (session.Caller, error) // connects to the host, starting it if necessary
	Directory func() string                                     // directory that relative paths refer to now
	Version   string                                            // for the verb version
	Doctor    func(ctx context.Context) (report string)         // for the verb doctor
	NewID     func() string                                     // returns an id for a display that is updated
	Programs  []Program                                         // commands of fsnet
	Variables *process.Variables                                // for the commands of fsnet, in addition to those of this process
	Log       *slog.Logger                                      // nil means slog.Default
}

// Interpreter runs commands. It is safe for concurrent use.
type Interpreter struct {
	options Options
	verbs   []verb         // in the order of help: the language's verbs, then the programs
	program string         // path of fsnet, to run Programs; "" for this executable
	palette *chart.Palette // of the notebook

	mu          sync.Mutex
	last        string                    // current session
	stabilities map[string]foundStability // by session

	showing sync.Mutex
	lives   []liveEntry // the one shown last is the last one
	runs    *views.Runs // the table of all sessions, or nil
}

// New returns an interpreter that has no current session.
func New(o Options) *Interpreter {
	o.Log = cmp.Or(o.Log, slog.Default())
	i := &Interpreter{options: o, verbs: verbs(), palette: views.Palette(o.Widgets), stabilities: map[string]foundStability{}}
	for _, p := range o.Programs {
		if _, err := i.findVerb(p.Name); err != nil {
			i.verbs = append(i.verbs, p.verb())
		}
	}
	return i
}

// Run runs one command. If the context ends, a step or run in progress pauses,
// and that is no error. A verb that opens or changes a session makes it the
// current one. A verb that only looks at another session changes nothing. A
// panic becomes an error.
func (i *Interpreter) Run(ctx context.Context, c Command, out Output) error {
	if word, asked := c.question(); asked {
		return i.answer(word, c.Verb, out)
	}

	v, err := i.findVerb(c.Verb)
	if err != nil {
		return err
	}

	r, err := i.parseRequest(v, c)
	if err == nil {
		err = r.checkSession()
	}

	if err != nil {
		return err
	}

	r.out = out
	run := v.run
	if run == nil {
		run = (*request).showView
	}

	if err := errs.Guard(i.options.Log.Error, prefix+" "+v.name, func() error { return run(r, ctx) }); err != nil {
		return r.withSuggestion(err)
	}

	if v.uses {
		i.Use(r.session)
	}
	return nil
}

// Check returns an error if a command can't run in any state of the sessions:
// an unknown verb or option, a value out of range, a missing argument. It runs
// nothing.
func (i *Interpreter) Check(c Command) error {
	if _, asked := c.question(); asked {
		return nil
	}
	v, err := i.findVerb(c.Verb)
	if err == nil {
		_, err = i.parseRequest(v, c)
	}
	return err
}

// Current returns the session that was used last, or "".
func (i *Interpreter) Current() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last
}

// Use makes a session the current one, and wakes its live views because the
// session may have been reopened.
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
