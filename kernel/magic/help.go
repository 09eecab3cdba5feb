package magic

import (
	"context"
	"fmt"
	"html"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
)

func (r *request) help(context.Context) error { return r.answer(r.argument(), "", r.out) }

func (r *request) version(context.Context) error {
	r.out.Result(chart.Picture{Text: "fsnet " + r.options.Version})
	return nil
}

func (r *request) doctor(ctx context.Context) error {
	r.out.Display(note(r.options.Doctor(ctx)))
	return nil
}

func (r *request) clear(context.Context) error {
	r.out.Clear(false)
	return nil
}

// note returns text for the user, to be shown unchanged.
func note(text string) chart.Picture {
	return chart.Picture{Text: text, HTML: `<pre style="margin:0;white-space:pre-wrap">` + html.EscapeString(text) + `</pre>`}
}

// overview lists the verbs and keys. The terminal form omits the
// arguments, which VERB? shows, and the views that only a notebook can show.
func (i *Interpreter) overview() chart.Picture {
	const form = "VERB [SESSION] [key=value …]"

	var text, page, terminal strings.Builder
	fmt.Fprintf(&text, "%%fsnet %s   the last session used is the default\n\n", form)
	fmt.Fprintf(&page, "<p><code>%%fsnet %s</code> - the last session used is the default</p><table>", form)
	fmt.Fprintf(&terminal, "%s   the last session used is the default\n\n", form)

	for _, v := range i.verbs {
		fmt.Fprintf(&text, "  %-52s %s\n", v.line(), v.about)
		fmt.Fprintf(&page, `<tr><td style="text-align:left"><code>%s</code></td><td style="text-align:left">%s</td></tr>`,
			html.EscapeString(v.line()), html.EscapeString(v.about))
		if v.view.start == nil || v.view.draw != nil {
			fmt.Fprintf(&terminal, "  %-10s  %s\n", v.name, v.about)
		}
	}

	lists := "keys fixed when a session is opened: " + strings.Join(keyNames(func(key config.Key) bool { return !key.Live }), ", ") +
		"\nlive keys, for set: " + strings.Join(keyNames(isLive), ", ") + "\n%fsnet help KEY explains one"

	page.WriteString("</table><p>" + strings.ReplaceAll(html.EscapeString(lists), "\n", "<br>") + "</p>")
	return chart.Picture{Text: text.String() + "\n" + lists, HTML: page.String()}.WithTerminal(terminal.String() + "\n" + lists + "\n")
}

// explain explains a word: an option of the verb named verbName, a verb, or a
// key of a training. It fails if the word is unknown. verbName may be unknown,
// too, or "".
func (i *Interpreter) explain(word, verbName string) (chart.Picture, error) {
	if v, err := i.findVerb(verbName); err == nil {
		if o, ok := v.option(word); ok {
			return note(o.String()), nil
		}
	}

	if v, err := i.findVerb(word); err == nil {
		text := fmt.Sprintf("%%fsnet %s\n%s", v.line(), v.about)
		for _, o := range v.options {
			text += fmt.Sprintf("\n  %-10s  %s", o.name+"=", o.about)
		}
		return note(text), nil
	}

	key, err := config.Lookup(word)
	if err != nil {
		return chart.Picture{}, errs.New(errs.Request, phrase.DidYouMean(word, append(i.verbNames(), config.Names()...)),
			"%q is neither a verb nor a key", word)
	}
	return note(describe(key)), nil
}

// describe returns a key with its symbol, meaning, values and defaults.
func describe(key config.Key) string {
	text := key.Name
	if key.Symbol != "" {
		text += " (" + key.Symbol + ")"
	}

	text += ": " + key.Meaning + "\nvalues: " + key.Accepted()

	if d := key.Default(config.FsNet); d != "" {
		text += "\ndefault: " + d
		if p := key.Default(config.Paper); p != d {
			text += "; with protocol=paper: " + p
		}
	}

	if key.Live {
		return text + "\nlive: set changes it at any step"
	}
	return text + "\nfixed when the session is opened"
}

// answer shows the explanation of a word that follows a verb. For "" it shows
// the overview.
func (i *Interpreter) answer(word, verbName string, out Output) error {
	if word == "" {
		out.Page(i.overview())
		return nil
	}
	p, err := i.explain(word, verbName)
	if err == nil {
		out.Display(p)
	}
	return err
}

// question reports whether a line without options ends in a word with a
// question mark before or after it, and returns that word without the mark. The
// word is empty if there is only a mark.
func (c Command) question() (word string, asked bool) {
	last := c.Verb
	if len(c.Words) > 0 {
		last = c.Words[len(c.Words)-1]
	}
	return strings.Trim(last, "?"), len(c.Options) == 0 && strings.Trim(last, "?") != last
}

// Inspect explains the word at the cursor (in runes): a verb, an option, or a
// key with its range, default and symbol in the paper. Between words it
// explains the line's verb. ok is false if there is nothing to explain.
func (i *Interpreter) Inspect(code string, cursor int) (p chart.Picture, ok bool) {
	line, offset, ok := lineAt(code, cursor)
	if !ok {
		return p, false
	}

	from, to := cursor-offset, cursor-offset
	for from > 0 && !strings.ContainsRune(" \t", line[from-1]) {
		from--
	}
	for to < len(line) && !strings.ContainsRune(" \t", line[to]) {
		to++
	}

	word, _, _ := strings.Cut(strings.Trim(string(line[from:to]), "?"), "=")
	verb := ""
	if words := strings.Fields(string(line)); len(words) > 1 {
		verb = words[1]
	}

	switch {
	case word == prefix, word == "" && verb == "":
		return i.overview(), true
	case word == "":
		word = verb
	}

	p, err := i.explain(word, verb)
	return p, err == nil
}

// About describes a match of Complete. kind is "magic" for a verb, "property"
// for an option, "value", "path" or "instance".
func (i *Interpreter) About(match string) (kind, about string) {
	name, value, isOption := strings.Cut(match, "=")

	switch {
	case isOption && name == "data" && value != "":
		return "path", ""
	case isOption && value != "":
		return "value", ""
	case isOption:
		key, _ := config.Lookup(name) // an unknown key has an empty Key
		return "property", strings.TrimSpace(key.Symbol + " " + key.Accepted())
	}

	if v, err := i.findVerb(match); err == nil {
		return "magic", v.about
	}
	return "instance", ""
}
