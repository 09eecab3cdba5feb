package magic

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/boundary"
	"fsnetlab/internal/nearest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
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

// Options are what an Interpreter works with. All are required, but Life and Widgets where no view is to be alive, Methods and
// Log.
type Options struct {
	Life      context.Context                                          // of the views that stay alive after their cell
	Widgets   *ipywidgets.Manager                                      // shows them
	Host      func(ctx context.Context) (session.Service, error)       // starts it where it is not running
	Directory string                                                   // where relative paths of data start
	Version   string                                                   // for the verb of that name
	Doctor    func(ctx context.Context) (report string, problems bool) // for the verb of that name
	NewID     func() string                                            // for displays that are updated
	Methods   []Method                                                 // that compare takes, for completion
	Log       io.Writer                                                // gets the stacks of what panicked; nil drops them
}

// Interpreter runs commands. It may be used from several goroutines.
type Interpreter struct {
	options Options

	mu   sync.Mutex
	last string // session

	showing sync.Mutex
	lives   map[string]live // by view and session
}

// New makes an interpreter that has used no session yet.
func New(o Options) *Interpreter {
	if o.Log == nil {
		o.Log = io.Discard
	}
	return &Interpreter{options: o}
}

// verb is one word of the language.
type verb struct {
	name     string
	usage    string // after the verb
	about    string
	sessions bool     // takes a session as its first word
	options  []string // keys it takes besides; config stands for all keys of a training
	run      func(i *Interpreter, ctx context.Context, r request) error
}

// request is a command whose session and options are understood.
type request struct {
	session string
	words   []string // without the session
	options map[string]string
	config  config.Config
	out     Output
}

// verbs lists the language in the order of its help.
func verbs() []verb {
	return []verb{
		{"open", "SESSION data=… [k=10 seed=1 …]", "open a training, attach to the one of that name, or take its run up again; replace=true starts anew, read_only=true looks at one that is open elsewhere", true, []string{"config", "replace", "read_only"}, (*Interpreter).open},
		{"step", "[SESSION] [N]", "advance by N steps (1)", true, nil, (*Interpreter).step},
		{"run", "[SESSION] [epoch=E] [step=S] [settled] [wait=false]", "advance to the end, or to there; interrupting the cell pauses it; wait=false runs in the background", true, []string{"epoch", "step", "wait"}, (*Interpreter).run},
		{"pause", "[SESSION]", "end a run in progress", true, nil, (*Interpreter).pause},
		{"rewind", "[SESSION] STEP|epoch=E", "go back to a step, exactly; what came later is forgotten", true, []string{"step", "epoch"}, (*Interpreter).rewind},
		{"fork", "[SESSION] NEWNAME [step=S|epoch=E]", "another session with the same past, which becomes the one used last; replace=true ends one of that name", true, []string{"step", "epoch", "replace"}, (*Interpreter).fork},
		{"set", "[SESSION] key=value …", "change live keys from the next step on", true, []string{"config"}, (*Interpreter).set},
		{"status", "[SESSION]", "where the training is", true, nil, (*Interpreter).status},
		{"selection", "[SESSION]", "the K features chosen now, by name", true, nil, viewVerb("selection")},
		{"matrix", "[SESSION] [of=probability|sample|soft] [top=40] [step=S] [live=true]", "the selection matrix, now or as it was after a past step; live=true follows the run", true, []string{"of", "top", "step", "live"}, viewVerb("matrix")},
		{"feature", "[SESSION] NAME|COLUMN", "one feature: its training rows by class, and its course in P", true, nil, (*Interpreter).feature},
		{"curves", "[SESSION] [from=STEP] [points=400]", "loss, accuracy and temperature over the epochs", true, []string{"from", "points"}, viewVerb("curves")},
		{"panel", "[SESSION]", "buttons and sliders that steer the training, alive also while a cell runs", true, nil, viewVerb("panel")},
		{"anneal", "[SESSION]", "the temperature schedule, whose points ahead can be dragged, and what each selector is about to choose", true, nil, viewVerb("anneal")},
		{"table", "[SESSION]", "the selected features, followed: with means by class and information, sorted, copied, saved as CSV", true, nil, viewVerb("table")},
		{"history", "[SESSION] [from=STEP]", "what happened, as a list", true, []string{"from"}, (*Interpreter).history},
		{"evaluate", "[SESSION] [train|test]", "the network on the selected features of those rows (test; looks are counted)", true, nil, (*Interpreter).evaluate},
		{"sessions", "", "the open sessions", false, nil, (*Interpreter).sessions},
		{"compare", "DATA… [methods=all|fsnet,fsnet:protocol=paper,mrmr] [k=10,50] [splits=20] [output=FILE] [key=value …]", "methods of feature selection on the same splits, as fsnet compare: a table and a chart; interrupting the cell keeps what is done, and the same line goes on", false, []string{"methods", "k", "splits", "output", "config"}, (*Interpreter).compare},
		{"close", "[SESSION]", "end a session and free what it holds", true, nil, (*Interpreter).close},
		{"help", "[VERB|KEY]", "this list, or what a verb or key means", false, nil, (*Interpreter).help},
		{"version", "", "which FsNet this is", false, nil, (*Interpreter).version},
		{"doctor", "", "look at this machine; each problem with its remedy", false, nil, (*Interpreter).doctor},
		{"clear", "", "clear the output of this cell", false, nil, (*Interpreter).clear},
	}
}

func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

func findVerb(name string) (verb, error) {
	for _, v := range verbs() {
		if v.name == name {
			return v, nil
		}
	}
	return verb{}, fault.New(fault.Request, nearest.DidYouMean(name, verbNames())+" (%fsnet help lists the verbs)", "unknown verb %q", name)
}

// Run runs one command. A context that ends pauses a step or run in progress, which is no error.
func (i *Interpreter) Run(ctx context.Context, c Command, out Output) error {
	if word, asked := c.question(); asked {
		return i.answer(word, c.Verb, out)
	}
	v, err := findVerb(c.Verb)
	if err != nil {
		return err
	}
	r, err := i.understand(v, c)
	if err != nil {
		return err
	}
	r.out = out
	if err := boundary.Do(i.options.Log, prefix+" "+v.name, func() error { return v.run(i, ctx, r) }); err != nil {
		return err
	}
	if v.sessions && v.name != "close" && v.name != "fork" {
		i.use(r.session)
	}
	return nil
}

// understand gives a command its session and checks its options.
func (i *Interpreter) understand(v verb, c Command) (request, error) {
	r := request{words: c.Words, options: map[string]string{}}
	if v.sessions {
		r.session = i.Current()
		if len(r.words) > 0 && !i.isArgument(v.name, r.words) {
			r.session, r.words = r.words[0], r.words[1:]
		}
		if r.session == "" {
			return r, fault.New(fault.Request, "name it: %fsnet "+v.name+" SESSION, or open one first: %fsnet open leukemia data=ALLAML", "%s of which session?", v.name)
		}
	}
	for _, o := range c.Options {
		if slices.Contains(v.options, o.Key) {
			r.options[o.Key] = o.Value
			continue
		}
		if slices.Contains(v.options, "config") {
			if err := r.config.Set(o.Key, o.Value); err != nil {
				return r, err
			}
			continue
		}
		if len(v.options) == 0 {
			return r, fault.New(fault.Request, "write %fsnet "+strings.TrimSpace(v.name+" "+v.usage), "%s takes no option %s", v.name, o.Key)
		}
		return r, fault.New(fault.Request, nearest.DidYouMean(o.Key, v.options), "%s takes no option %s", v.name, o.Key)
	}
	return r, nil
}

// isArgument reports whether a verb's first word is its argument rather than a session: a number of steps, a part of the rows,
// a new name.
func (i *Interpreter) isArgument(verb string, words []string) bool {
	word := words[0]
	switch verb {
	case "fork", "feature":
		return len(words) == 1
	case "step", "rewind":
		_, err := strconv.Atoi(word)
		return err == nil
	case "run":
		return word == "settled"
	case "evaluate":
		return (word == "train" || word == "test") && i.Current() != ""
	}
	return false
}

// Current is the session used last, or "".
func (i *Interpreter) Current() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last
}

func (i *Interpreter) use(name string) {
	i.mu.Lock()
	i.last = name
	i.mu.Unlock()
	i.follow(name)
}

// none refuses words that a verb has no use for.
func (r request) none(v string) error {
	if len(r.words) == 0 {
		return nil
	}
	return fault.New(fault.Request, "%fsnet help "+v+" explains it", "%s does not know what to do with %q", v, r.words[0])
}

func (r request) number(key string, low int) (int, error) {
	text, ok := r.options[key]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low {
		return 0, fault.New(fault.Request, fmt.Sprintf("give a whole number from %d", low), "%s = %q", key, text)
	}
	return n, nil
}

// yes is an option that is true or false.
func (r request) yes(key string, otherwise bool) (bool, error) {
	text, ok := r.options[key]
	if !ok {
		return otherwise, nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, fault.New(fault.Request, "give true or false", "%s = %q", key, text)
	}
	return value, nil
}

// Use makes a session the one used last.
func (i *Interpreter) Use(name string) { i.use(name) }
