package magic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// verb is one word of the language. Running, help and completion all read it.
type verb struct {
	name     string
	usage    string // arguments, for help
	about    string
	session  bool // it works on the session that its first word names, or on the current one
	uses     bool // it opens or changes its session, which becomes the current one
	maxWords int  // number of words besides the session
	// argument reports whether the first word is an argument rather than a
	// session. current is the current session. Nil means that it never is.
	argument func(words []string, current string) bool
	choices  []string                                                                        // values of its argument; nil allows anything
	complete func(ctx context.Context, i *Interpreter, text string, earlier []word) []string // completions of an argument
	options  []option
	keys     func(config.Key) bool // keys of a training that are options, too; nil means none
	view     view                  // what it shows of its session; the zero value shows nothing

	hasGrid, hasProgress bool // for a program: whether it has the flags --grid and --progress

	// run runs the command. If it is nil, the verb shows its view with the
	// options. If uses is set, the session that run leaves in the request
	// becomes the current one.
	run func(*request, context.Context) error
	// check rejects words and options that can't be combined, before anything
	// runs. Nil accepts all.
	check func(*request) error
}

const anyNumber = -1 // of words

// option is a key=value that belongs to a verb.
type option struct {
	name, about string
	kind        kind
	from        int // smallest value of a number
	// Values holds the words of a choice or a list, or the extensions of a
	// file. Nil allows any extension.
	values   []string
	standard string // default; "" if it has none
}

type kind int

const (
	text kind = iota
	number
	truth
	choice
	list // words separated by commas
	file // a path; ~/ means the user's home directory
)

// check returns an error for a value that the option doesn't allow. It allows
// any value of a text, a list or a file.
func (o option) check(value string) error {
	remedy := ""

	switch o.kind {
	case number:
		if n, err := strconv.Atoi(value); err != nil || n < o.from {
			remedy = fmt.Sprintf("give a whole number from %d", o.from)
		}
	case truth:
		if _, err := strconv.ParseBool(value); err != nil {
			remedy = "give true or false"
		}
	case choice:
		if !slices.Contains(o.values, value) {
			remedy = phrase.DidYouMean(value, o.values)
		}
	}

	if remedy == "" {
		return nil
	}
	return errs.New(errs.Request, remedy, "%s = %q", o.name, value)
}

// offers returns the values that completion offers after the =, or nil. typed
// is the text after the =.
func (o option) offers(i *Interpreter, typed string) []string {
	switch {
	case o.kind == truth:
		return []string{"true", "false"}
	case o.kind == choice:
		return o.values
	case o.kind == list:
		return listCompletions(o.values, typed)
	case o.kind == file:
		return i.files(typed, o.values...)
	case o.standard != "":
		return []string{o.standard}
	}
	return nil
}

// String explains the option.
func (o option) String() string {
	lines := o.name + ": " + o.about

	switch o.kind {
	case number:
		lines += fmt.Sprintf("\nvalues: %d…", o.from)
	case truth:
		lines += "\nvalues: true · false"
	case choice:
		lines += "\nvalues: " + strings.Join(o.values, " · ")
	}

	if o.standard != "" {
		lines += "\ndefault: " + o.standard
	}
	return lines
}

// verbNames returns the names of all verbs, in the order of help.
func (i *Interpreter) verbNames() []string {
	var list []string
	for _, v := range i.verbs {
		list = append(list, v.name)
	}
	return list
}

// findVerb returns the verb of a name. The error suggests a similar name.
func (i *Interpreter) findVerb(name string) (verb, error) {
	if at := slices.IndexFunc(i.verbs, func(v verb) bool { return v.name == name }); at >= 0 {
		return i.verbs[at], nil
	}
	return verb{}, errs.New(errs.Request, phrase.DidYouMean(name, i.verbNames())+" (%fsnet help lists the verbs)", "unknown verb %q", name)
}

// line returns the verb with its arguments.
func (v verb) line() string { return strings.TrimSpace(v.name + " " + v.usage) }

// option finds one of the verb's options. It doesn't find keys of a training.
func (v verb) option(name string) (option, bool) {
	at := slices.IndexFunc(v.options, func(o option) bool { return o.name == name })
	if at < 0 {
		return option{}, false
	}
	return v.options[at], true
}

// optionNames returns the names of the verb's options, without keys of a
// training.
func (v verb) optionNames() []string {
	var names []string
	for _, o := range v.options {
		names = append(names, o.name)
	}
	return names
}

// accepts reports whether a key of a training is an option of the verb.
func (v verb) accepts(key config.Key) bool {
	_, own := v.option(key.Name)
	return !own && v.keys != nil && v.keys(key)
}

// request is a parsed and checked command.
type request struct {
	*Interpreter
	verb    verb
	command Command // as written
	session string
	words   []string          // without the session
	values  map[string]string // of the verb's options
	given   map[string]bool   // options by name, including keys
	config  config.Config
	out     Output

	grid     []Option        // for a program: keys with several values
	settings config.Settings // for a program: the settings of its session

	// directory is what the relative paths of a program's session refer to. It
	// is "" if there is no session.
	directory string
}

// parseRequest determines a command's session, possibly "", and checks its
// words and options.
func (i *Interpreter) parseRequest(v verb, c Command) (*request, error) {
	r := &request{Interpreter: i, verb: v, command: c, words: c.Words, values: map[string]string{}, given: map[string]bool{}}

	if v.session {
		r.session = i.Current()
		if len(r.words) > 0 && (v.argument == nil || !v.argument(r.words, r.session)) {
			r.session, r.words = r.words[0], r.words[1:]
		}
	}

	if v.maxWords != anyNumber && len(r.words) > v.maxWords {
		return nil, r.unexpected(r.words[v.maxWords])
	}

	for _, o := range c.Options {
		if err := r.setOption(o); err != nil {
			return nil, err
		}
	}

	if v.check != nil {
		return r, v.check(r)
	}
	return r, nil
}

// checkSession returns an error if the verb needs a session and the line names
// none while none is current.
func (r *request) checkSession() error {
	if !r.verb.session || r.session != "" {
		return nil
	}

	remedy := "name it: %fsnet " + r.verb.name + " SESSION, or open one first: %fsnet open leukemia data=ALLAML"
	if r.verb.name == "open" {
		remedy = "name it: %fsnet open leukemia data=ALLAML"
	}
	return errs.New(errs.Request, remedy, "%s of which session?", r.verb.name)
}

// withSuggestion adds a suggestion to an error about an unknown session whose
// name may be a mistyped argument, as in %fsnet evaluate tset. It returns other
// errors as they are.
func (r *request) withSuggestion(err error) error {
	near := phrase.Nearest(r.session, r.verb.choices)
	if near == "" || len(r.words) > 0 || !errs.Is(err, errs.NotFound) {
		return err
	}

	e := errs.Of(err)
	return errs.With(errors.New(e.What), e.Kind, strings.TrimSuffix("did you mean "+r.verb.name+" "+near+"? If not: "+e.Remedy, " If not: "))
}

// setOption checks and sets an option: one of the verb's options, or a key. A
// key with several values goes into the grid of a program.
func (r *request) setOption(o Option) error {
	own, known := r.verb.option(o.Key)
	name := strings.ReplaceAll(o.Key, "-", "_")

	if r.given[name] {
		return errs.New(errs.Request, "give it once", "%s is given twice", o.Key)
	}

	r.given[name] = true

	switch {
	case known:
		if own.kind == file && o.Value != "" {
			o.Value = dataset.Locate(o.Value, "")
		}
		r.values[o.Key] = o.Value
		return own.check(o.Value)
	case r.verb.hasGrid && strings.ContainsAny(o.Value, ",|") && !isOneValue(o):
		r.grid = append(r.grid, o)
		_, err := config.Lookup(o.Key)
		return err
	case r.verb.keys != nil:
		if _, err := config.Lookup(o.Key); err != nil {
			return config.Unknown(o.Key, append(r.verb.optionNames(), keyNames(r.verb.keys)...))
		}
		return r.config.Set(o.Key, o.Value)
	case len(r.verb.options) == 0:
		return errs.New(errs.Request, "write %fsnet "+r.verb.line(), "%s takes no option %s", r.verb.name, o.Key)
	}
	return errs.New(errs.Request, phrase.DidYouMean(o.Key, r.verb.optionNames()), "%s takes no option %s", r.verb.name, o.Key)
}

// isOneValue reports whether the key accepts the whole text as one value, as
// hidden accepts 64,32.
func isOneValue(o Option) bool {
	var c config.Config
	return c.Set(o.Key, o.Value) == nil
}

// unexpected returns the error for a word that the verb can't use. The remedy
// covers spaces around an = and a session in the last place.
func (r *request) unexpected(word string) error {
	remedy := "%fsnet help " + r.verb.name + " explains it"

	if key, value := r.findSeparated(); key != "" {
		remedy = "write " + key + "=" + value + ", without spaces"
	} else if words := r.command.Words; r.verb.maxWords == 1 && len(words) == 2 && len(r.words) == 2 {
		remedy = "the session comes first: %fsnet " + r.verb.name + " " + words[1] + " " + words[0]
	}

	return errs.New(errs.Request, remedy, "%s does not know what to do with %q", r.verb.name, word)
}

// findSeparated finds an option whose key and value were written as separate
// words. If there is none, key is "".
func (r *request) findSeparated() (key, value string) {
	words := slices.DeleteFunc(slices.Clone(r.command.Words), func(w string) bool { return w == "=" })
	for i, w := range words[:max(len(words)-1, 0)] {
		known, err := config.Lookup(w)
		if _, own := r.verb.option(w); own || err == nil && r.verb.accepts(known) {
			return w, strings.TrimPrefix(words[i+1], "=")
		}
	}

	for _, o := range r.command.Options {
		if o.Value == "" && len(words) > 0 {
			return o.Key, words[len(words)-1]
		}
	}
	return "", ""
}

// argument returns the verb's argument, or "".
func (r *request) argument() string {
	if len(r.words) == 0 {
		return ""
	}
	return r.words[0]
}

// number returns a numeric option. It returns 0 if the option isn't given.
func (r *request) number(name string) int {
	n, _ := strconv.Atoi(r.values[name]) // checked already
	return n
}

// optionalNumber returns a numeric option. It returns nil if the option isn't
// given.
func (r *request) optionalNumber(name string) *int {
	if r.values[name] == "" {
		return nil
	}
	return new(r.number(name))
}

// flag returns a boolean option, or its default if the option isn't given.
func (r *request) flag(name string) bool {
	o, _ := r.verb.option(name)
	value, _ := strconv.ParseBool(cmp.Or(r.values[name], o.standard)) // checked already
	return value
}
