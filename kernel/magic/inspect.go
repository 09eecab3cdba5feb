package magic

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/widgets/chart"
)

// Inspect explains the word at the cursor (in runes): a verb, an option, or a key with its range, its default and the paper's symbol;
// between words, the line's verb. ok is false where there is nothing to say.
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
	verb := nth(strings.Fields(string(line)), 1)
	switch {
	case word == prefix, word == "" && verb == "":
		return overview(), true
	case word == "":
		word = verb
	}
	if p, ok := explainOption(word, verb); ok {
		return p, true
	}
	p, err := explain(word)
	return p, err == nil
}

// explainOption is what an option means that is no key of a training, or means something else with this verb.
func explainOption(word, verb string) (chart.Picture, bool) {
	v, err := findVerb(verb)
	if err != nil || !slices.Contains(v.options, word) || word == "config" {
		return chart.Picture{}, false
	}
	about := map[string]string{
		"replace":   "true ends the session of that name first, and removes its run\nvalues: true · false\ndefault: false",
		"read_only": "true only looks at a session that another notebook holds\nvalues: true · false\ndefault: false",
		"wait":      "false runs in the background: the cell ends at once\nvalues: true · false\ndefault: true",
		"live":      "true follows the training, false is a picture of this moment\nvalues: true · false\ndefault: false",
		"of":        "which matrix: probability is P, without temperature and noise; sample is M, the concrete sample at temperature τ; soft is at τ without noise\nvalues: probability · sample · soft\ndefault: probability",
		"top":       "columns at the most, those with most mass\nvalues: 1…\ndefault: 40",
		"points":    "points of a curve at the most\nvalues: 1…\ndefault: 400",
		"from":      "the step to begin at\nvalues: 0…\ndefault: 0",
		"step":      "a step of the training\nvalues: 0…",
		"methods":   "what is compared, with commas between: all, fsnet, mrmr, svm, …; settings follow a name, and those of fsnet are keys, so that protocols stand in one table: fsnet,fsnet:protocol=paper,epochs=400\ndefault: all",
		"splits":    "on how many splits, of the seeds seed, seed + 1, …\nvalues: 1…\ndefault: 20",
		"output":    "a CSV file that keeps the rows, for one process at a time; the same line goes on with those that it has\ndefault: one for each line, below .fsnet/compare",
		"epoch":     "an epoch of the training\nvalues: 0…",
	}[word]
	if about == "" {
		return chart.Picture{}, false
	}
	return note(word + ": " + about), true
}

// question is the word that a question mark asks about, at its begin or its end, as the last of a line.
func (c Command) question() (word string, asked bool) {
	last := c.Verb
	if len(c.Words) > 0 {
		last = c.Words[len(c.Words)-1]
	}
	return strings.Trim(last, "?"), len(c.Options) == 0 && strings.Trim(last, "?") != last
}

// answer explains a word where a question mark asks for it; "" is the language.
func (i *Interpreter) answer(word, verb string, out Output) error {
	if word == "" {
		out.Page(overview())
		return nil
	}
	p, ok := explainOption(word, verb)
	if !ok {
		var err error
		if p, err = explain(word); err != nil {
			return err
		}
	}
	out.Display(p)
	return nil
}

// About says in a line what a match of Complete is, and of which kind: magic (a verb), property (an option), value, path or instance.
func (i *Interpreter) About(match string) (kind, about string) {
	name, value, isOption := strings.Cut(match, "=")
	key, err := config.Lookup(name)
	switch {
	case isOption && name == "data" && value != "":
		return "path", ""
	case isOption && value != "":
		return "value", ""
	case isOption && err == nil:
		return "property", strings.TrimSpace(key.Symbol + " " + key.Range + strings.Join(key.Choices, " · "))
	case isOption:
		return "property", ""
	}
	if v, err := findVerb(match); err == nil {
		return "magic", v.about
	}
	return "instance", ""
}

func nth(words []string, n int) string {
	if n < len(words) {
		return words[n]
	}
	return ""
}
